/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages that we draw, and their peers', against what they may cost: the
 * table of `make bench-viewer`; README says how to read it.  A headless
 * Chromium without a GPU is driven over its own pipe.
 */
"use strict";
const { execFileSync, spawn } = require("child_process");
const fs = require("fs"), os = require("os"), path = require("path");
const env = process.env;
const TOP = env.TOP || path.join(__dirname, "../..");
const BUILD = env.BUILD || path.join(TOP, "build");
const RUNS = Number(env.BENCH_RUNS) || 3;
const WIDTH = 1440, HEIGHT = 900, LIMIT = 60000;
const work = fs.mkdtempSync(path.join(os.tmpdir(), "bench-viewer-"));
const at = (name) => path.join(work, name);
const missing = [];
let browser;

process.on("exit", () => {
	try {
		// With all that it has started.
		process.kill(-browser.child.pid, "SIGKILL");
	} catch (e) {
		// There is none.
	}
	fs.rmSync(work, { recursive: true, force: true, maxRetries: 9,
		retryDelay: 50 });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
	process.on(signal, () => process.exit(2));

function found(...names) {
	for (const name of names)
		for (const dir of [""].concat((env.PATH || "").split(":")))
			if (name && fs.existsSync(path.join(dir, name)) &&
			    (dir || name.includes("/")))
				return path.join(dir, name);
	return "";
}

// A Chromium -------------------------------------------------------------

class Browser {
	constructor(program) {
		this.child = spawn(program, ["--headless", "--no-sandbox",
			"--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-background-networking",
			"--disable-component-update", "--disable-sync",
			"--allow-file-access-from-files",
			"--user-data-dir=" + at("profile"),
			"--remote-debugging-pipe", "about:blank"],
			{ detached: true, stdio: ["ignore", "ignore",
				"ignore", "pipe", "pipe"] });
		this.child.on("exit", () => this.waits.forEach((w) =>
			w.fail(new Error("the browser has ended"))));
		this.waits = new Map();
		this.n = 0;
		let rest = "";
		this.child.stdio[4].setEncoding("utf8").on("data", (text) => {
			const parts = (rest + text).split("\0");
			rest = parts.pop();
			parts.forEach((s) => this.heard(JSON.parse(s)));
		});
	}
	heard({ id, result, error }) {
		const wait = this.waits.get(id);
		if (!wait)
			return;
		this.waits.delete(id);
		if (error)
			wait.fail(new Error(error.message));
		else
			wait.done(result);
	}
	ask(method, params = {}, sessionId) {
		const id = ++this.n;
		this.child.stdio[3].write(JSON.stringify(
			{ id, method, params, sessionId }) + "\0");
		return new Promise((done, fail) =>
			this.waits.set(id, { done, fail }));
	}
}

class Tab {
	static async open(scale = 1) {
		const tab = new Tab();
		const made = await browser.ask("Target.createTarget",
			{ url: "file://" + at("empty.html") });
		tab.target = made.targetId;
		tab.session = (await browser.ask("Target.attachToTarget",
			{ targetId: tab.target, flatten: true })).sessionId;
		await tab.ask("Page.enable");
		await tab.ask("Performance.enable",
			{ timeDomain: "threadTicks" });
		await tab.ask("Emulation.setDeviceMetricsOverride", {
			width: WIDTH, height: HEIGHT, mobile: false,
			deviceScaleFactor: scale });
		await pause(300);
		tab.empty = await tab.memory();
		return tab;
	}
	ask(method, params) {
		return browser.ask(method, params, this.session);
	}
	async run(f, ...args) {
		const asked = this.ask("Runtime.evaluate", {
			awaitPromise: true, returnByValue: true,
			expression: "(" + f + ")(" + args.map((a) =>
				JSON.stringify(a)).join() + ")" });
		const { result, exceptionDetails: bad } = await Promise.race([
			asked, pause(LIMIT).then(() => {
				throw new Error("not done in a minute");
			})]);
		if (bad)
			throw new Error(bad.exception ?
				bad.exception.description : bad.text);
		return result.value;
	}
	// Milliseconds of CPU of the main thread; of its scripts.
	async metric(name) {
		const { metrics } = await this.ask("Performance.getMetrics");
		return metrics.find((m) => m.name === name).value * 1000;
	}
	cpu() {
		return this.metric("TaskDuration");
	}
	scripts() {
		return this.metric("ScriptDuration");
	}
	async memory() {
		await this.ask("HeapProfiler.collectGarbage");
		await this.ask("HeapProfiler.collectGarbage");
		const heap = await this.ask("Runtime.getHeapUsage");
		return heap.usedSize + (heap.embedderHeapUsedSize || 0) +
			(heap.backingStorageSize || 0);
	}
	async close() {
		await browser.ask("Target.closeTarget",
			{ targetId: this.target });
	}
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// In the page: until it is there and has been painted.
function untilReady(kind) {
	const info = () => (document.getElementById("info") || {}).textContent;
	const isReady = () => kind === "ours" ? info() &&
		!document.getElementById("first") :
		document.readyState === "complete";
	return new Promise((done) => {
		const look = () => isReady() ? requestAnimationFrame(() =>
			setTimeout(() => done(performance.now()))) :
			setTimeout(look, 4);
		look();
	});
}

// In the page: acts, and waits for the frame after; ms until it is painted.
function timed(act, ...args) {
	const begin = performance.now();
	(0, eval)("(" + act + ")")(...args);
	return new Promise((done) => requestAnimationFrame(() => {
		const { port1, port2 } = new MessageChannel();
		port1.onmessage = () => done({
			painted: performance.now() - begin });
		port2.postMessage(0);
	}));
}

// What a reader does: in the page.
function press(key, more) {
	document.body.dispatchEvent(new KeyboardEvent("keydown",
		{ key, bubbles: true, ...more }));
}

function search(text) {
	const box = document.getElementById("search");
	box.value = text;
	box.dispatchEvent(new Event("input"));
}

// The mouse, so far from the left and from the root, in rows.
function mouse(type, x, rows) {
	const canvas = document.getElementById("canvas");
	const box = canvas.getBoundingClientRect();
	for (const t of type === "click" ? ["mousemove", type] : [type])
		canvas.dispatchEvent(new MouseEvent(t, { bubbles: true,
			clientX: box.left + box.width * x, detail: 1,
			clientY: box.bottom - 20 * rows - 10 }));
}

// The least of several turns; back() is not measured.
async function least(tab, act, args, back) {
	const best = { script: Infinity, painted: Infinity, cpu: Infinity };
	for (let i = 0; i < RUNS; i++) {
		const from = await tab.cpu(), scripts = await tab.scripts();
		const ms = await tab.run(timed, String(act), ...args);
		ms.script = await tab.scripts() - scripts;
		ms.cpu = await tab.cpu() - from;
		for (const key in best)
			best[key] = Math.min(best[key], ms[key]);
		await pause(350);
		if (back) {
			await tab.run(...back);
			await pause(350);
		}
	}
	return best;
}

// Measuring --------------------------------------------------------------

async function load(tab, file, kind) {
	const from = await tab.cpu();
	await tab.ask("Page.navigate", { url: "file://" + file });
	const wall = await tab.run(untilReady, kind);
	const cpu = await tab.cpu() - from;
	const paint = await tab.run(() => (performance
		.getEntriesByType("paint")[0] || {}).startTime);
	return { wall, cpu, paint };
}

async function loads(file, kind) {
	const best = { wall: Infinity, cpu: Infinity, paint: Infinity };
	for (let i = 0; i < RUNS; i++) {
		const tab = await Tab.open();
		const ms = await load(tab, file, kind);
		for (const key in best)
			best[key] = Math.min(best[key], ms[key]);
		if (i + 1 === RUNS) {
			await pause(1500);
			best.memory = await tab.memory() - tab.empty;
		}
		await tab.close();
	}
	return best;
}

// One after the other, moved sideways: CPU of a frame, script and all.
async function frames(tab) {
	const n = 20;
	await tab.run(press, "0");
	await pause(400);
	await tab.run(press, "+");
	await pause(400);
	const from = await tab.cpu(), scripts = await tab.scripts();
	await tab.run((press, n) => new Promise((done) => {
		const act = (0, eval)("(" + press + ")");
		const next = () => {
			act(n % 2 ? "ArrowLeft" : "ArrowRight",
				{ shiftKey: true });
			if (--n)
				requestAnimationFrame(next);
			else
				requestAnimationFrame(() => setTimeout(done));
		};
		requestAnimationFrame(next);
	}), String(press), n);
	return [(await tab.scripts() - scripts) / n,
		(await tab.cpu() - from) / n];
}

// The script of a keystroke, before anything is drawn.
async function scan(tab) {
	let best = Infinity;
	for (let i = 0; i < 2 * RUNS; i++) {
		const from = await tab.scripts();
		await tab.run(search, i % 2 ? "Map" : "Hash");
		best = Math.min(best, await tab.scripts() - from);
		await pause(200);
	}
	await tab.run(search, "");
	return best;
}

async function drawing(file, scale) {
	const tab = await Tab.open(scale);
	await load(tab, file, "ours");
	await pause(1500);
	let best = [Infinity, Infinity];
	for (let i = 0; i < RUNS; i++) {
		const now = await frames(tab);
		best = best.map((ms, k) => Math.min(ms, now[k]));
	}
	await tab.close();
	return best;
}

async function ours(file) {
	const page = await loads(file, "ours");
	const tab = await Tab.open();
	const info = () => document.getElementById("info").textContent;
	const one = (key, ...args) => least(tab, key, args, [press, "1"]);
	await load(tab, file, "ours");
	await pause(1500);
	page.n = Number(/([\d,]+) frames/.exec(await tab.run(info))[1]
		.replace(/,/g, ""));
	page.hover = await least(tab, mouse, ["mousemove", 0.5, 9],
		[mouse, "mousemove", 0.6, 4]);
	page.click = await least(tab, mouse, ["click", 0.5, 5], [press, "0"]);
	page.search = await least(tab, search, ["Map"], [search, ""]);
	page.scan = await scan(tab);
	page.callers = await one(press, "4");
	await tab.run(mouse, "mousemove", 0.5, 12);
	page.sandwich = await one(press, "s");
	page.table = await least(tab, press, ["t"], [press, "t"]);
	await tab.run(press, "1");
	await pause(350);
	page.heavy = await least(tab, press, ["w"], [press, "w"]);
	await tab.close();
	[page.draw, page.frame] = await drawing(file, 1);
	[page.draw2, page.frame2] = await drawing(file, 2);
	return page;
}

// Peers: a click on a wide frame, their own search.
function findTarget() {
	const canvas = document.querySelector("canvas");
	const how = { bubbles: true };
	let target = canvas;
	if (canvas) {
		const box = canvas.getBoundingClientRect();
		Object.assign(how, { clientX: box.left + box.width / 2,
			clientY: box.bottom - 100 });
	} else {
		const rects = [...document.querySelectorAll("rect")].map((e) =>
			[e.getBoundingClientRect().width, e])
			.filter(([w]) => w < innerWidth * 0.8)
			.sort((a, b) => b[0] - a[0]);
		target = rects[0][1];
	}
	window.hit = () => ["mousemove", "mouseover", "click"].forEach((t) =>
		target.dispatchEvent(new MouseEvent(t, how)));
}

function searchPeer(text) {
	const box = document.getElementById("search");
	if (box && "value" in box) {		// our SVG's
		box.value = text;
		box.dispatchEvent(new Event("input"));
	} else if (document.querySelector("canvas")) {
		search(new RegExp(text));
	} else {
		window.currentSearchTerm = text;
		search(text);
	}
}

async function peer(file) {
	const late = { wall: Infinity, painted: Infinity, cpu: Infinity };
	const page = { ...late, search: late, click: late };
	const tab = await Tab.open();
	try {
		Object.assign(page, await loads(file, "peer"));
		await load(tab, file, "peer");
		await pause(1000);
		page.search = await least(tab, searchPeer, ["Map"]);
		// The first time: no two of them zoom out alike.
		await tab.run(findTarget);
		const from = await tab.cpu();
		const click = await tab.run(timed, String(() => window.hit()));
		click.cpu = await tab.cpu() - from;
		page.click = click;
	} catch (e) {
		console.error("bench-viewer: " + path.basename(file) + ": " +
			e.message.split("\n")[0]);
	}
	await tab.close();
	return page;
}

// What the pages hold ----------------------------------------------------

function sizes(file) {
	const text = fs.readFileSync(file, "utf8");
	const data = /<script[^>]*id="?data"?>([^<]*)</.exec(text)[1].length;
	const still = /<svg[\s\S]*?<\/svg>/.exec(text)[0];
	return { all: fs.statSync(file).size, data, code: Buffer.byteLength(
		text) - data - Buffer.byteLength(still) };
}

function tool(name, ...args) {
	return execFileSync(path.join(BUILD, "tools", name), args,
		{ stdio: ["ignore", "pipe", "ignore"], maxBuffer: 2 ** 31 });
}

function toFile(file, program, args) {
	const out = fs.openSync(file, "w");
	try {
		execFileSync(program, args, { stdio: ["ignore", out, "ignore"],
			timeout: 300000 });
	} finally {
		fs.closeSync(out);
	}
	return file;
}

// A folded profile of N generated stacks, in order.
function generated(name, n) {
	const folded = at(name + ".folded");
	toFile(folded, path.join(BUILD, "tests/bench/mkstacks"), [String(n)]);
	return folded;
}

function drawn(input, type, ...more) {
	const file = at(path.basename(input) + "." + type);
	tool("flame-graph", "-q", "-f", type, "-o", file, ...more, input);
	return file;
}

// The viewer in a page, in one that compares, in one of samples.
function weighCode() {
	const one = at("one.folded"), compared = at("compared.html");
	heading("the viewer");
	row("code in a page, bytes", 46000, sizes(drawn(one, "html")).code);
	tool("flame-diff", "-i", "folded", "-o", compared, one, one);
	row("  in a comparison", 51000, sizes(compared).code);
	row("  in a page of samples", 61000, sizes(drawn(path.join(TOP,
		"tests/data/jfr/spark-cpu-wall.jfr"), "html")).code);
}

// CPU seconds and MB of drawing.
function cost(input) {
	const [user, sys, , kb] = execFileSync(path.join(BUILD,
		"tests/bench/measure"), [path.join(BUILD, "tools/flame-graph"),
		"-q", "-f", "html", "-o", at("cost.html"), input])
		.toString().split(" ").map(Number);
	return { cpu: user + sys, mb: kb / 1024 };
}

// The table --------------------------------------------------------------

const peers = [];		// { name, draw(folded) -> file }
let over = 0, busy = 0;

function findPeers() {
	const jar = env.JFRCONV_JAR || found("jfr-converter.jar");
	const put = (name, program, draw) => program ?
		peers.push({ name, draw }) : missing.push(name);
	put("async-prof", jar && found("java"), (folded) => {
		const file = folded + ".ap.html";
		execFileSync("java", ["-jar", jar, folded, file],
			{ stdio: "ignore" });
		return file;
	});
	for (const program of ["inferno-flamegraph", "flamegraph.pl"]) {
		const file = found(program), name = program.slice(0, 13)
			.replace("-flame", "");
		put(name, file, (folded) => toFile(folded + "." + name +
			".svg", file, [folded]));
	}
}

const short = (v) => v === Infinity ? "late" : !(v >= 0) ? "-" : v >= 1000 ?
	String(Math.round(v)).replace(/\B(?=(\d{3})+$)/g, ",") :
	v.toFixed(v < 10 ? 2 : v < 100 ? 1 : 0);

function heading(text) {
	console.log("\n" + text + "\n" + "what".padEnd(38) +
		["budget", "ours", ...peers.map((p) => p.name)]
			.map((s) => s.padStart(14)).join("") + "  within");
}

// Of a row without a budget only the figures are printed.
function row(what, budget, value, ...others) {
	const bad = budget !== undefined && value !== undefined &&
		!(value <= budget);
	// Others used the time too.
	const shared = bad && what.includes("wall") &&
		os.loadavg()[0] > os.cpus().length;
	over += bad ? 1 : 0;
	busy += shared ? 1 : 0;
	console.log(what.padEnd(38) + [budget, value,
		...peers.map((p, k) => others[k])].map((v) =>
		short(v).padStart(14)).join("") + "  " +
		(budget === undefined ? "" : value === undefined ?
			"not built" : shared ? "OVER*" :
			bad ? "OVER" : "ok"));
}

async function peersOf(folded) {
	const list = [];
	for (const { name, draw } of peers) {
		try {
			const file = draw(folded);
			list.push({ ...await peer(file),
				size: fs.statSync(file).size });
			fs.rmSync(file);
		} catch (e) {
			console.error("bench-viewer: " + name + ": " +
				e.message.split("\n")[0]);
			list.push({});
		}
	}
	return list;
}

async function profile(title, input, folded, budgets) {
	const file = drawn(input, "html");
	const size = sizes(file), page = await ours(file), { n } = page;
	const others = await peersOf(folded);
	const each = (f) => others.map((o) => o.wall && f(o));
	const limit = (key, value) => budgets.includes(key) ? value :
		undefined;
	const large = budgets.includes("large") ? (v) => v : () => undefined;

	heading(title + ": " + short(n) + " frames");
	row("page, MB", undefined, size.all / 1e6, ...each((o) =>
		o.size / 1e6));
	row("its data, bytes a frame", n >= 1e5 ? 2.5 : n >= 2000 &&
		n <= 10000 ? 8 : undefined, size.data / n,
	...each((o) => o.size / n));
	row("its data, MB", large(2.5), size.data / 1e6);
	row("first paint, wall ms", 200, page.paint, ...each((o) => o.paint));
	row("interactive, CPU ms", large(800) || limit("100k", 400) ||
		limit("1k", 150), page.cpu, ...each((o) => o.cpu));
	row("interactive, wall ms", large(1000), page.wall,
		...each((o) => o.wall));
	row("memory over an empty tab, MB", n * 60 / 1e6 + 20,
		page.memory / 1e6, ...each((o) => o.memory / 1e6));
	row("draw one frame, script CPU ms, 1x", 8, page.draw);
	row("draw one frame, script CPU ms, 2x", 16, page.draw2);
	row("painted frame, CPU ms, 1x", 16, page.frame);
	row("painted frame, CPU ms, 2x", undefined, page.frame2);
	row("click to first changed frame, wall ms", 50, page.click.painted,
		...each((o) => o.click.painted));
	row("  CPU ms", undefined, page.click.cpu,
		...each((o) => o.click.cpu));
	row("hover, script CPU ms", undefined, page.hover.script);
	row("hover to outline painted, wall ms", 16, page.hover.painted);
	row("search, key to painted, wall ms", 100, page.search.painted,
		...each((o) => o.search.painted));
	row("search, scan, script CPU ms", 15, page.scan);
	row("callers, script CPU ms", 300, page.callers.script);
	row("sandwich, script CPU ms", 50, page.sandwich.script);
	row("table, script CPU ms", 150, page.table.script);
	row("heaviest first, script CPU ms", 300, page.heavy.script);
	fs.rmSync(file);
}

async function pictures(folded) {
	const count = (file) => (fs.readFileSync(file, "utf8")
		.match(/<(rect|path)/g) || []).length;
	const svg = drawn(folded, "svg");
	const page = await peer(svg), others = [];
	const files = peers.map(({ name, draw }) =>
		/async/.test(name) ? "" : draw(folded));
	for (const file of files)
		others.push(file ? await peer(file) : {});
	const each = (f) => files.map((s, k) => s && f(others[k], s) ||
		undefined);
	heading("SVG of the large one: " + short(count(svg)) + " frames");
	row("bytes a frame", 160, fs.statSync(svg).size / count(svg),
		...each((o, s) => fs.statSync(s).size / count(s)));
	row("load, CPU ms", 1000, page.cpu, ...each((o) => o.cpu));
	row("zoom, CPU ms", 200, page.click.cpu, ...each((o) => o.click.cpu));
	row("search, CPU ms", undefined, page.search.cpu,
		...each((o) => o.search.cpu));
}

// What perf script would print of n samples, on eight threads; in two
// files, as of larger ones no times are stored.
function timedSamples(n) {
	const files = [at("timed.perf"), at("timed-2.perf")];
	const outs = files.map((file) => fs.openSync(file, "w"));
	let state = 7, text = "";
	const below = (m) => {
		state = Math.imul(state, 1103515245) + 12345 >>> 0;
		return (state >>> 8) % m;
	};
	for (let i = 0; i < n; i++) {
		text += "java " + (100 + below(8)) + " " + (1000 + i / 1e4)
			.toFixed(6) + ": 1 cpu-clock:\n\t1000 leaf" + below(20) +
			" (x)\n\t2000 mid" + below(10) + " (x)\n\t3000 top" +
			below(6) + " (x)\n\t4000 main (x)\n\n";
		if (text.length > 1e6 || i + 1 === n) {
			fs.writeSync(outs[i < n / 2 ? 0 : 1], text);
			text = "";
		}
	}
	outs.forEach((out) => fs.closeSync(out));
	return files;
}

async function timedProfile() {
	const n = 2e6, tab = await Tab.open();
	const [input, rest] = timedSamples(n);
	const bare = sizes(drawn(input, "html", "--no-time", rest)).data;
	const file = drawn(input, "html", rest);
	await load(tab, file, "ours");
	await pause(2000);
	// Nearly all of it, and all threads but one, by their links.
	const go = (hash) => { location.hash = hash; };
	const move = await least(tab, go, ["t=1-199"], [go, ""]);
	const facet = await least(tab, go, ["f=-thread:java-107"], [go, ""]);
	await tab.run(go, "");
	await pause(350);
	const open = await least(tab, press, ["6"], [press, "1"]);
	await tab.run(press, "6");
	await pause(1000);
	let best = [Infinity, Infinity];
	for (let i = 0; i < RUNS; i++) {
		const now = await frames(tab);
		best = best.map((ms, k) => Math.min(ms, now[k]));
	}
	await pause(1000);
	const span = await least(tab, go, ["v=chart&t=20-60"], [go, "v=chart"]);
	await tab.close();
	heading("timed: " + short(n) + " samples");
	row("timed samples, bytes each", 5, (sizes(file).data - bare) / n);
	row("time change, script CPU ms", 100, move.script);
	row("facet change, script CPU ms", 100, facet.script);
	row("flame chart, opened, script CPU ms", undefined, open.script);
	row("  one frame, script CPU ms", 16, best[0]);
	row("  one frame, all CPU ms", undefined, best[1]);
	row("  change of span, script CPU ms", 100, span.script);
	fs.rmSync(input);
	fs.rmSync(rest);
}

function drawingCost() {
	const folded = generated("cost", 320000);
	const mb = fs.statSync(folded).size / 1e6;
	const { cpu, mb: peak } = cost(folded);
	heading("folded to HTML: " + short(mb) + " MB");
	row("CPU s, as of 472 MB", 3, cpu * 472 / mb);
	row("peak memory, MB", 300, peak);
	fs.rmSync(folded);
}

// A real one, by its folded stacks: peers that read no recording draw these.
async function recording(name, file, budgets) {
	const folded = at(name + ".folded");
	if (!fs.existsSync(file)) {
		missing.push(file);
		return;
	}
	fs.writeFileSync(folded, tool("flame-fold", "-q", file));
	await profile(name, folded, folded, budgets);
}

async function main() {
	const chromium = found(env.CHROMIUM, "chromium", "chromium-browser",
		"google-chrome");
	if (!chromium) {
		console.error("bench-viewer: no Chromium: CHROMIUM names it");
		return 77;
	}
	findPeers();
	fs.writeFileSync(at("empty.html"), "<!DOCTYPE html><title>-</title>");
	browser = new Browser(chromium);
	const { product } = await browser.ask("Browser.getVersion");
	console.log(product + ", " + os.cpus()[0].model + ", load " +
		os.loadavg()[0].toFixed(1) + "; least of " + RUNS +
		"; peers that were not found: " +
		(missing.join(", ") || "none"));

	fs.writeFileSync(at("one.folded"), "a 1\n");
	weighCode();
	const wanted = (name) => name.includes(env.BENCH_ONLY || "");
	const made = (name, n, ...budgets) => wanted(name) &&
		profile(name, generated(name, n), at(name + ".folded"),
			budgets);
	await made("small", 80, "1k");
	await made("medium", 9000, "100k");
	await made("large", 104000, "large");
	if (wanted("recorded"))
		await recording("recorded", path.join(TOP,
			"tests/data/jfr/spark-cpu-wall.jfr"), []);
	if (env.FLAME_CORPUS && wanted("corpus"))
		await recording("corpus", path.join(env.FLAME_CORPUS,
			"jfr-ap/javac25-multi-76M.jfr.zst"), []);
	if (wanted("timed"))
		await timedProfile();
	if (wanted("svg"))
		await pictures(generated("svg", 104000));
	if (wanted("cost"))
		drawingCost();
	console.log("\n" + (over ? over + " OVER budget" :
		"all within budget") + (busy ? "; * " + busy +
		" of wall time, at a load of " + os.loadavg()[0].toFixed(1) +
		" on " + os.cpus().length + " CPUs" : ""));
	return over > busy ? 1 : 0;
}

main().then((status) => process.exit(status), (e) => {
	console.error("bench-viewer: " + e.stack);
	process.exit(2);
});
