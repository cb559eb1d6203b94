/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profiles of a page: one, or one of each metric in a tab, which is
 * decoded when it is first seen.  A link has what is looked at, so
 * another profile is shown as a link is.
 */
const profiles = {
	pages: [],	// { data, tab, metric; d and given once decoded }
	at: 0,
};

function listProfiles() {
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

const linkOf = (hash) => new URLSearchParams(hash.slice(1)
	.replaceAll("+", "%2b"));

function profileOf(hash) {
	const name = linkOf(hash).get("e");
	return max(profiles.pages.findIndex((p) => p.metric === name), 0);
}

async function load(k) {
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
	d = p.d;
	whole = given = p.given;
	expanded = search.hit = null;
	view.steps = [];
	view.made = "";
	view.method = captions.length = nameHashes.length = 0;
	search.text = settled = "";
	diff.column = given.columns.length - 1;
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
function tellInfo() {
	const sums = given.columns.map(exactSum), { compares, metric } = d;
	const seen = view.steps[0] ? whole.columns.map((c) => c.total[0]) : sums;
	$("info").textContent = joined(" · ", d.subtitle,
		!$("title").textContent.endsWith(", " + metric) && metric,
		compares ? sumText(seen) : (seen[0] === sums[0] ? "" :
			plain(seen[0]) + " of ") + amount(sums[0]),
		grouped(given.n - 1) + " frames");
}

async function showProfile(k, hash) {
	if (!await load(k))
		return;
	paint(isDark());
	restore(false, hash);
	reveal(view.focus);
	draw();
}

async function turnTo(k) {
	if (k === profiles.at)
		return;
	leave();
	profiles.at = k;
	await showProfile(k, remember(true));
}

function revisit(hash) {
	const k = profileOf(hash);
	if (k === profiles.at)
		restore(true, hash);
	else
		showProfile(k, hash);
}

function listenProfiles() {
	on("events", "keydown", (e) => {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		const { pages, at } = profiles, n = pages.length;
		if (!by)
			return;
		turnTo((at + by + n) % n);
		pages[profiles.at].tab.focus();
	});
}
