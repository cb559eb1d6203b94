/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table beside the graph: sums by function, package or kind of all that
 * the steps have left, whatever is zoomed.  What calls itself counts once.
 */
const tabs = new Map([
	["Functions", ["=", (s) => d.names[s]]],
	["Classes", ["class:", classOf]],
	["Packages", ["pkg:", packageOf]],
	["Libraries", ["lib:", libraryOf]],
	["Kinds", ["type:", (s) => typeNames[d.type[s]]]],
	["Threads", ["thread:", (s) => d.type[s] === GROUP ? d.names[s] : ""]],
]);
const groupOf = (tab, s) => tabs.get(tab)[1](s) || "(none)";
const pane = {
	tab: "Functions", sort: 0, down: true, at: 0,
	rows: [], columns: [],
	of: null, sums: new Map(),	// of these nodes: by tab
};

// Of samples, not of frames: see time.js.
const facetOf = (tab) => tabs.get(tab)[2];

// Of a caption what is before a place, without the dot.
const upTo = (text, at) => text.slice(0, at).replace(/[.:/]+$/, "");

function packageOf(s) {
	const [text, at] = captionOf(s);
	return upTo(text, at);
}

function classOf(s) {
	const [text, , at] = captionOf(s);
	return upTo(text, at);
}

// module`function, [library] or its path, file.py, two parts of a package.
function libraryOf(s) {
	const m = /^([^`]+)`|^([[/].*)|\(([^():]+):\d+\)$/.exec(d.names[s]);
	return m && d.type[s] !== GROUP ? m[1] || m[2] || m[3] :
		packageOf(s).split(/(?<=[./].*)[./]/)[0];
}

// By number of a group: its name, self and total of each column.
function sumsOf(tab) {
	if (pane.of !== whole) {
		pane.of = whole;
		pane.sums.clear();
	}
	if (!pane.sums.has(tab))
		pane.sums.set(tab, facetOf(tab) ? facetSums(facetOf(tab)) :
			groupSums(tab));
	return pane.sums.get(tab);
}

function groupSums(tab) {
	const ids = new Map(), names = [], first = [];
	const of = Uint32Array.from(d.names, (name, s) => {
		const key = groupOf(tab, s);
		if (!ids.has(key)) {
			ids.set(key, names.length);
			names.push(key);
			first.push(s);
		}
		return ids.get(key);
	});
	const { n, name, end } = whole;
	const columns = whole.columns.map((c) => {
		const self = f64(names.length), total = f64(names.length);
		const until = u32(names.length);
		for (let i = 1; i < n; i++) {
			const k = of[name[i]];
			self[k] += c.self[i];
			if (i >= until[k]) {
				total[k] += c.total[i];
				until[k] = end[i];
			}
		}
		return { self, total };
	});
	return { of, names, first, columns };
}

// Columns: head, value, text.
function paneColumns({ columns }) {
	const now = columns[diff.column], whole = all();
	const value = (key) => (k) => now[key][k];
	const share = (key) => (k) => percent(now[key][k], whole);
	const facet = facetOf(pane.tab);
	const list = [facet ? ["Count", value("total"), (k) =>
		plain(now.total[k])] : ["Self", value("self"), share("self")],
		["Total", value("total"), share("total")]];
	return d.compares ? list.concat(changesOf(columns, facet)) : list;
}

function fillPane() {
	if ($("pane").hidden)
		return;
	const sums = sumsOf(pane.tab), [prefix] = tabs.get(pane.tab);
	const facet = facetOf(pane.tab), sifted = $("sift").value.toLowerCase();
	const picked = search.text.startsWith(prefix);
	pane.columns = paneColumns(sums);
	const [, by] = pane.columns[pane.sort] || [];
	const seen = u8(sums.names.length);
	for (let k = 0; facet && k < seen.length; k++)
		seen[k] = sums.names[k].toLowerCase().includes(sifted);
	for (let s = facet ? d.names.length : 1; s < d.names.length; s++)
		if (!search.hit || picked || search.hit[s])
			seen[sums.of[s]] = 1;
	pane.rows = [];
	for (let k = 0; k < sums.names.length; k++)
		if (seen[k] && sums.columns.some((c) => c.total[k]))
			pane.rows.push(k);
	const way = pane.down ? 1 : -1, [a, b] = pane.columns;
	pane.rows.sort(by ? (x, y) => (by(y) - by(x)) * way ||
		b[1](y) - b[1](x) || a[1](y) - a[1](x) || x - y :
	(x, y) => (sums.names[x] < sums.names[y] ? -1 : 1) * way);
	$("sift").hidden = !facet;
	pane.at = facet ? min(pane.at, max(pane.rows.length - 1, 0)) :
		max(pane.rows.findIndex((k) => prefix +
		sums.names[k] === search.text), 0);
	headPane();
	drawPane();
}

function headPane() {
	fillGrid("list", [...pane.columns, [pane.tab]].map(([text], k) => {
		const cell = element("button", text);
		cell.ariaSort = k !== pane.sort ? "none" :
			pane.down ? "descending" : "ascending";
		on(cell, "click", () => {
			pane.down = k === pane.sort ? !pane.down : true;
			pane.sort = k;
			fillPane();
		});
		return cell;
	}));
	const threads = d.type.includes(GROUP, 1) && !tabs.has("thread");
	const there = [...tabs.keys()].filter((name) =>
		name !== "Threads" || threads);
	$("tabs").replaceChildren(...there.map((name) => {
		const b = element("button", name);
		b.ariaPressed = name === pane.tab;
		on(b, "click", () => {
			pane.tab = name;
			pane.sort = pane.at = 0;
			$("sift").value = "";
			fillPane();
		});
		return b;
	}));
}

function paneRow(k, place) {
	const { names, first } = sumsOf(pane.tab), name = element("span");
	const cells = pane.columns.map(([, value, text]) => {
		const cell = element("span", value(k) ? text(k) : "");
		cell.title = plain(value(k));
		return cell;
	});
	if (pane.tab === "Functions") {
		const [text, at] = captionOf(first[k]);
		name.append(text.slice(at), element("i", at ?
			"  " + text.slice(0, at - 1) : ""));
	} else {
		name.textContent = names[k];
	}
	name.title = short(names[k], 1000);
	const facet = facetOf(pane.tab);
	const taken = facet && wants(facet, view.steps)[k];
	const row = gridRow("line" + place, place, facet ? taken > 0 :
		place === pane.at &&
		search.text === tabs.get(pane.tab)[0] + names[k],
	[...cells, name]);
	if (facet)
		row.className = (taken < 0 ? "out" : "") + (place === pane.at ?
			" at" : "");
	return row;
}

function drawPane() {
	drawGrid("list", pane.rows, paneRow, "line" + pane.at);
}

// All frames of a row are marked; of the marked row none are any more.
function pick(place, again) {
	const list = $("list"), k = pane.rows[place];
	if (k === undefined)
		return;
	const text = tabs.get(pane.tab)[0] + sumsOf(pane.tab).names[k];
	if (facetOf(pane.tab)) {
		pane.at = place;
		drawPane();
	} else {
		find(again && text === search.text ? "" : text);
	}
	const y = pane.at * ROW, tall = list.clientHeight - 2 * ROW;
	list.scrollTop = min(max(list.scrollTop, y - tall), y);
}

function showPane(open) {
	$("pane").hidden = !open;
	$("table").ariaPressed = open;
	fillPane();
	measure();
	draw();
}

function csv() {
	const { names, columns } = sumsOf(pane.tab);
	const cell = (s) => '"' + String(s).replaceAll('"', '""') + '"';
	const head = columns.length > 1 ? ["self before", "total before",
		"self after", "total after"] : ["self", "total"];
	return [[pane.tab.toLowerCase(), ...head].map(cell)].concat(
		pane.rows.map((k) => [cell(names[k])].concat(
			...columns.map((c) => [c.self[k], c.total[k]]))))
		.join("\n") + "\n";
}

function listenPane() {
	const symbolOf = (e) => pane.tab === "Functions" && rowAt(e) >= 0 ?
		sumsOf(pane.tab).first[pane.rows[rowAt(e)]] : 0;
	on("list", "scroll", drawPane);
	const chooseAt = (place, off) => {
		const facet = facetOf(pane.tab);
		if (facet && place in pane.rows)
			takeFacet(facet, pane.rows[place], off);
	};
	on("list", "click", (e) => {
		if (e.detail > 1)
			return;
		pick(rowAt(e), true);
		chooseAt(rowAt(e), e.altKey);
	});
	const groupAt = (e) => rowAt(e) < 0 || facetOf(pane.tab) ? "" :
		tabs.get(pane.tab)[0] +
		sumsOf(pane.tab).names[pane.rows[rowAt(e)]];
	on("list", "dblclick", (e) => {
		if (symbolOf(e))
			sandwich(symbolOf(e));
		else if (groupAt(e))
			sandwich(0, groupAt(e));
	});
	on("list", "contextmenu", (e) => {
		if (facetOf(pane.tab))
			e.preventDefault();
		chooseAt(rowAt(e), true);
		if (symbolOf(e))
			openMenu(e, symbolOf(e), -1);
		else if (groupAt(e))
			openGroup(e, groupAt(e));
	});
	on("list", "keydown", (e) => {
		const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -20,
			PageDown: 20 }[e.key];
		if (e.key === "Enter" && e.target === $("list"))
			chooseAt(pane.at, e.altKey);
		if (!by || e.target !== $("list"))
			return;
		e.preventDefault();
		e.stopPropagation();
		pick(min(max(pane.at + by, 0), pane.rows.length - 1));
	});
	on("sift", "input", fillPane);
	on("csv", "click", () => save("csv", csv()));
	on("table", "click", () => showPane($("pane").hidden));
}
