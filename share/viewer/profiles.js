/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profiles of a page: one, or one of each metric in a tab, which is
 * decoded when it is first seen.  A link has what is looked at, so
 * another profile is shown as a link is.
 */
import { max } from "./numbers.js";
import { d, setProfile, view } from "./state.js";
import { bytesOf, decode, unpack } from "./data.js";
import { nodesOf } from "./rewrite.js";
import { $, nameHashes, on, remember, restore, reveal } from "./view.js";
import { titleOf } from "./about.js";
import { captions, draw, paint } from "./draw.js";
import { search } from "./search.js";
import { diff, sumText } from "./diff.js";
import { button, pane, tabs } from "./pane.js";
import { showTime } from "./time.js";
import { amount, element, exactSum, grouped, isDark, joined, leave, plain }
	from "./page.js";

export const profiles = {
	pages: [],	// { data, tab, metric; d and given once decoded }
	at: 0,
};

export function listProfiles() {
	const all = document.querySelectorAll("#data, .data");
	const exact = (n) => Number.isSafeInteger(+n) ? +n : BigInt(n);
	profiles.pages = [...all].map((data, k) => {
		const { metric, unit, total, before } = data.dataset;
		return { data, metric, tab: button(metric, () => turnTo(k),
			{ role: "tab" },
			" ", element("i", unit && joined(" → ", before &&
				plain(exact(before), unit),
				amount(exact(total), unit)))) };
	});
	$("events").replaceChildren(...profiles.pages.map((p) => p.tab));
	$("events").hidden = !all[1];
}

export const linkOf = (hash) => new URLSearchParams(hash.slice(1)
	.replaceAll("+", "%2b"));

export function profileOf(hash) {
	const name = linkOf(hash).get("e");
	return max(profiles.pages.findIndex((p) => p.metric === name), 0);
}

export async function load(k) {
	const p = profiles.pages[profiles.at = k];
	if (!p.d) {
		p.d = decode(await unpack(bytesOf(p.data.textContent)));
		p.data.remove();
		p.given = nodesOf(p.d);
		p.d.preset = p.d.highlight && "/" + p.d.highlight + "/";
		p.d.mode = p.d.asTree ? "tree" :
			p.d.inverted ? "icicle" : "flame";
	}
	// Another was asked for meanwhile.
	if (k !== profiles.at)
		return false;
	setProfile(p.d);
	view.whole = view.given = p.given;
	view.expanded = search.hit = null;
	view.steps = [];
	view.made = "";
	view.method = captions.length = nameHashes.length = 0;
	search.text = view.settled = "";
	diff.column = view.given.columns.length - 1;
	diff.step = null;
	d.compares = diff.column > 0;
	showTime();
	if (!tabs.has(pane.tab))
		pane.tab = "Functions";
	const title = titleOf();
	$("title").textContent = $("title").title = title;
	document.title = joined(", ", title, profiles.pages[1] && d.metric);
	tellInfo();
	$("notes").textContent = $("notes").title = d.notes;
	profiles.pages.forEach(({ tab }, i) => {
		tab.ariaSelected = i === k;
		tab.tabIndex = i === k ? 0 : -1;
	});
	return true;
}

// What the heading says of the stacks in view.
export function tellInfo() {
	const sums = view.given.columns.map(exactSum), { compares, metric } = d;
	const seen = !view.steps[0] ? sums :
		view.whole.columns.map((c) => c.total[0]);
	$("info").textContent = joined(" · ", d.subtitle,
		!$("title").textContent.endsWith(", " + metric) && metric,
		compares ? sumText(seen) : (seen[0] === sums[0] ? "" :
			plain(seen[0]) + " of ") + amount(sums[0]),
		grouped(view.given.n - 1) + " frames");
}

async function showProfile(k, hash) {
	if (!await load(k))
		return;
	paint(isDark());
	restore(false, hash);
	reveal(view.focus);
	draw();
}

export async function turnTo(k) {
	if (k === profiles.at)
		return;
	leave();
	profiles.at = k;
	await showProfile(k, remember(true));
}

export function revisit(hash) {
	const k = profileOf(hash);
	if (k === profiles.at)
		restore(true, hash);
	else
		showProfile(k, hash);
}

export function listenProfiles() {
	on("events", "keydown", (e) => {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		const { pages, at } = profiles, n = pages.length;
		if (!by)
			return;
		turnTo((at + by + n) % n);
		pages[profiles.at].tab.focus();
	});
}
