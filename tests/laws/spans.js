/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.js RECORDING...: draws a page of all events of each, reads its data by
 * the page's own script, and compares the sums of ten spans with those of
 * flame-fold: "RECORDING: what differs", and "RECORDING" at its end.
 */
"use strict";
const { execFileSync } = require("child_process");
const fs = require("fs"), path = require("path");
const SPANS = 10;
let file;

// The page's modules, which begin nothing before start().
globalThis.matchMedia = () => ({});
globalThis.document = { documentElement: {}, querySelector() {} };
const page = {};

async function loadPage() {
	const parts = [];
	// The order is that of the page.
	for (const name of ["page", "state", "data", "time"])
		parts.push(await import(path.resolve("viewer", name + ".js")));
	const [, state, { bytesOf, decode, u8, unpack },
		{ eachSet, secondsAt, spansOf }] = parts;
	const moments = () => state.d.moments;
	Object.assign(page, {
		async read(text) {
			state.setProfile(decode(await unpack(bytesOf(text))));
			return moments();
		},
		sum(text) {
			const [[a, b]] = spansOf([{ kind: "t", text }]);
			let sum = 0;
			eachSet([[a, b]], u8(moments().sets).fill(1), (i, end) => {
				for (; i < end; i++)
					sum += moments().weight[i];
			});
			return { sum, edges: [a, b].map(secondsAt) };
		},
		all: () => moments().weight.reduce((n, w) => n + w, 0),
		until: () => secondsAt(moments().end),
	});
}

const run = (tool, ...args) => execFileSync(path.join(process.env.TOOLS, tool),
	["-q", ...args], { encoding: "utf8", maxBuffer: 1 << 28,
		stdio: ["ignore", "pipe", "ignore"] });

function folded(event, ...span) {
	try {
		return run("flame-fold", "--event", event, ...span, file)
			.split("\n").reduce((n, line) => n +
			Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
	} catch (e) {
		return 0;	// nothing is left
	}
}

// Numbers that look random and are the same at each run.
let seed;
const random = () => (seed = seed * 48271 % 2147483647) / 2147483647;
const ns = (sec) => (BigInt(Math.round(sec * 1e6)) * 1000n +
	BigInt(Math.round(sec * 1e9) - Math.round(sec * 1e6) * 1000));

async function check(event, text) {
	const moments = await page.read(text);
	if (!moments?.tick)
		return;
	// Some units have fractions in text: the totals show the factor.
	const factor = page.all() / folded(event), until = page.until();
	for (let i = 0; i < SPANS; i++) {
		const at = [random() * until, random() * until].sort((a, b) =>
			a - b).map((s) => s.toFixed(3));
		const { sum, edges } = page.sum(at.join("-"));
		if (!(edges[0] < edges[1] && edges[1] < Infinity))
			continue;
		const span = ["--from", ns(edges[0]) + "ns", "--to",
			ns(edges[1]) - 1n + "ns"];
		const want = folded(event, ...span) * factor;
		if (Math.abs(want - sum) > 1e-6 * want)
			console.log(`${file}: ${event}: ${sum} in the page, ` +
				`${want} by ${span.join(" ")}`);
	}
}

async function checkAll() {
	let html;
	try {
		html = run("flame-graph", "--events", "all", "-f", "html",
			file);
	} catch (e) {
		html = e.stdout;	// what is whole of a damaged one
	}
	const blocks = /<script type="text\/plain" (?:id|class)="data"(?: data-metric="([^"]*)")?[^>]*>([^<]*)</g;
	for (const [, metric, text] of html.matchAll(blocks)) {
		const event = metric || run("flame-fold", "--event", "list",
			file).split(/\s/)[0];
		await check(event, text);
	}
}

(async () => {
	await loadPage();
	for (file of process.argv.slice(2)) {
		seed = 7;
		await checkAll().catch((e) => console.log(file + ": " + e.stack));
		console.log(file);
	}
})();
