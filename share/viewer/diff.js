/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A comparison: column 0 is before, 1 is after.  Widths are those of one of
 * them, colours tell the change: the ramp is the page's first colours.
 */
const diff = {
	column: 0,	// of the widths
	by: "self",	// colours: change of "self", of "total"; or "kind"
	equal: false,	// before counts as if its total were that of after
	scale: 1, step: null,
	most: {},	// the largest changes
};
const NONE = 5;
const diffKeys = [["Before or after", "b"], ["Colours", "k"]];
let hatch;

function before(key, i) {
	return d.columns[0][key][i] * diff.scale;
}

function after(key, i) {
	return d.columns[1][key][i];
}

function change(key, i) {
	return after(key, i) - before(key, i);
}

// libflame/draw/palette.c has the same.
function stepOf(change, most) {
	const size = abs(change);
	let k = 0;
	while (k < NONE && 25 * size > max(k * k, 1e-9) * most)
		k++;
	return change < 0 ? NONE - k : NONE + k;
}

const sumsOfColumns = (g) => g.columns.map((c) => c.total[0]);

function recolor() {
	const [a, b] = sumsOfColumns(whole);
	diff.scale = diff.equal && a && b ? b / a : rateOf(view.steps);
	for (const key of ["self", "total"]) {
		let most = 0;
		for (let i = 0; i < d.n; i++)
			most = max(most, abs(change(key, i)));
		diff.most[key] = most;
	}
	// Callers have no self of their own.
	const by = grown && diff.by !== "kind" ? "total" : diff.by;
	const most = diff.most[by];
	diff.step = most >= 0 ? u8(d.n) : null;
	for (let i = 0; diff.step && i < d.n; i++)
		diff.step[i] = stepOf(change(by, i), most);
}

// Whether a frame has no weight on the other side.
function isLone(i) {
	return d.compares && !d.columns[1 - diff.column].total[i];
}

function signed(n) {
	return n ? (n < 0 ? "−" : "+") + plain(abs(n)) : "±0";
}

// "+12.3%"; "new" or "gone".
function relative(a, b) {
	if (!a || !b)
		return b ? "new" : a ? "gone" : "";
	const p = (b - a) / a * 100;
	return (p < 0 ? "−" : "+") + (abs(p) < 1000 ?
		abs(p).toFixed(1) : grouped(abs(p))) + "%";
}

function points(a, b) {
	const p = b - a;
	return (p < 0 ? "−" : "+") + abs(p * 100).toFixed(2) +
		" points";
}

// 1,234 -> 1,250 samples (+16, +1.3%)
function told(a, b) {
	return plain(a) + " → " + amount(b) + " (" +
		joined(", ", signed(b - a), relative(a, b)) + ")";
}

function describeChange(i) {
	const all = sumsOfColumns(whole);
	const a = before("self", i), b = after("self", i);
	return told(before("total", i), after("total", i)) + ", " +
		percent(d.columns[0].total[i], all[0]) + " → " +
		percent(d.columns[1].total[i], all[1]) + " of all" +
		(a || b ? "; self " + plain(a) + " → " + plain(b) + " (" +
			signed(b - a) + ")" : "");
}

function changeTable(i) {
	const times = diff.scale === 1 ? "" :
		" × " + diff.scale.toPrecision(3);
	const line = (tag, head, ...texts) => element("tr", "",
		element("th", head), ...texts.map((s) => element(tag, s)));
	const table = element("table", "",
		line("th", "", "Before" + times, "After", "Change"));
	table.className = "changes";
	for (const [key, head] of [["total", "Total"], ["self", "Self"]]) {
		const a = before(key, i), b = after(key, i);
		const [p, q] = d.columns.map((c, k) => c[key][i] /
			max(whole.columns[k].total[0], 1));
		const word = key === "total" || (a && b) ? relative(a, b) : "";
		table.append(line("td", head, plain(a), plain(b),
			signed(b - a) + (word && " (" + word + ")")));
		if (p || q)
			table.append(line("td", "", percent(p, 1),
				percent(q, 1), points(p, q)));
	}
	return table;
}

// Columns of the tree: see treeColumns().
function changeColumns() {
	const size = (key) => (i) => abs(change(key, i));
	return [
		["Before", (i) => plain(before("total", i)),
			(i) => before("total", i)],
		["After", (i) => plain(after("total", i)),
			(i) => after("total", i)],
		["Change", (i) => signed(change("total", i)), size("total"),
			"total"],
		["", (i) => relative(before("total", i), after("total", i)),
			size("total")],
		["Self change", (i) => change("self", i) &&
			signed(change("self", i)), size("self"), "self"],
	];
}

function colorChange(cell, key, i) {
	const by = change(key, i);
	if (by)
		cell.style.backgroundColor = fillOf(stepOf(by, diff.most[key]));
}

// Columns of the table: see paneColumns().
function changesOf([a, b], facet) {
	return (facet ? ["total"] : ["self", "total"]).map((key) => {
		const by = (k) => b[key][k] - a[key][k] * diff.scale;
		return ["Δ " + key, by, (k) => signed(by(k))];
	});
}

// The frame itself, or the next one around it that has a width.
function standing(i) {
	while (i && !d.total[i])
		i = d.parent[i];
	return i;
}

// What a frame is that has no weight on the other side.
const loneWord = () => diff.column ? "new" : "gone";

function tellColumn() {
	$("before").ariaPressed = !diff.column;
	$("after").ariaPressed = !!diff.column;
	$("lone").textContent = loneWord();
}

function setColumn(column) {
	diff.column = column;
	tellColumn();
	place(d, d.columns[column]);
	countBefore();
	setCurrent(-1);
}

function setColors(by, equal) {
	diff.by = by === "total" || by === "kind" ? by : "self";
	diff.equal = equal;
	$("by").value = diff.by;
	$("equal").checked = equal;
	$("legend").hidden = by === "kind";
	recolor();
}

function compare(column) {
	if (column === diff.column)
		return;
	setColumn(column);
	showSteps();
	fillPane();
	show(standing(view.focus), false);
	remember(true);
}

function repaint(by, equal) {
	setColors(by, equal);
	resort();
	fillPane();
	draw();
	remember(false);
}

// Lines over the frames that only one side of a comparison has.
function hatching() {
	const tile = element("canvas"), c = tile.getContext("2d");
	tile.width = tile.height = 16;
	c.strokeStyle = theme.text;
	c.globalAlpha = 0.22;
	c.lineWidth = 2;
	for (const x of [-16, 0, 16]) {
		c.moveTo(x - 2, 18);
		c.lineTo(x + 18, -2);
	}
	c.stroke();
	const pattern = ctx.createPattern(tile, "repeat");
	pattern.setTransform(new DOMMatrix().scale(0.5));
	return pattern;
}

// Frames of a list of paintRows() that only one side has.
function hatchLone(c, list, ratio) {
	const gap = view.row > 6 ? 1 : 0;
	for (let k = 0; d.compares && k < list.length; k += 5) {
		const [i, a, b, y] = list.slice(k, k + 4);
		if (b - a < 2 || !isLone(i))
			continue;
		c.fillStyle = hatch;
		c.fillRect(a / ratio, y / ratio, (b - a) / ratio, view.row - gap);
	}
}

// Set once more where the theme changes.
function paintLegend() {
	hatch = hatching();
	$("ramp").replaceChildren(...d.light.slice(0, RAMP).map((c, k) => {
		const e = element("i");
		e.style.background = fillOf(k);
		return e;
	}));
}

// Two columns, or one: as the page came, or as two spans of time are chosen.
function setCompares(two) {
	const [a, b] = whole.columns;
	let fresh = 0, gone = 0;
	$("bar").hidden = !two;
	if (!!d.compares !== two) {
		d.compares = two;
		diff.column = two ? 1 : 0;
		diff.step = null;
		tree.sort = pane.sort = 0;
	}
	for (let i = 0; two && i < whole.n; i++) {
		fresh += !a.total[i] && b.total[i] ? 1 : 0;
		gone += a.total[i] && !b.total[i] ? 1 : 0;
	}
	$("counts").textContent = grouped(fresh) + " frames new, " +
		grouped(gone) + " gone";
	tellColumn();
}

function linkDiff(put) {
	put(d.compares && !diff.column, "w=before");
	put(diff.by !== "self", "c=" + diff.by);
	put(diff.equal, "n=1");
}

function restoreDiff(p) {
	setColumn(p.get("w") === "before" ? 0 : 1);
	setColors(p.get("c"), p.has("n"));
}

function startDiff() {
	on("before", "click", () => compare(0));
	on("after", "click", () => compare(1));
	on("by", "change", () => repaint($("by").value, diff.equal));
	on("equal", "change", () => repaint(diff.by, $("equal").checked));
}
