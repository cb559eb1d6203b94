/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is seen, for elsewhere: as a picture, as text.
 */
import { ceil, max, min, round } from "./numbers.js";
import { d, view } from "./state.js";
import { $, isCaller, rowTop, wayTo } from "./view.js";
import { cornerOf, css, fillOf, heaviest, paint, paintOn, spans, write }
	from "./draw.js";
import { diff, hatchLone } from "./diff.js";
import { sumsOf } from "./pane.js";
import { describe, element, isDark, short } from "./page.js";

export function save(suffix, parts) {
	const a = element("a"), url = URL.createObjectURL(new Blob(parts));
	a.href = url;
	a.download = document.title.replace(/[^\p{L}\p{N}.-]+/gu, "-")
		.replace(/^[-.]+|-+$/g, "").slice(0, 80) + "." + suffix;
	a.click();
	setTimeout(() => URL.revokeObjectURL(url), 60000);
}

export function announce(text) {
	$("status").textContent = $("live").textContent = text;
}

export async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch (e) {
		const area = element("textarea");
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
	announce("Copied: " + short(text, 200));
}

// Names from the root to a node, as they are called.
export function stackOf(i) {
	const list = wayTo(i).map((k) => d.names[d.name[k]]);
	return isCaller(i) ? list.reverse() : list;
}

const suffixes = ["", "_[0]", "_[j]", "_[i]", "", "", "_[k]", "_[1]"];

// Folded stacks of what the steps left, of the zoomed frame where they do.
export function folded() {
	const [g, root] = view.expanded ? [view.whole, 0] : [d, view.focus];
	const lines = [], columns = g.columns.map((c) => c.self);
	const spelled = d.names.map((s, i) => {
		const suffix = suffixes[d.type[i]] || "";
		s = s.replace(/[;\n]/g, ":");
		return s.endsWith(suffix) ? s : s + suffix;
	});
	for (let i = root; i < g.end[root]; i++) {
		const stack = [];
		if (!columns.some((c) => c[i]))
			continue;
		for (let k = i; k; k = g.parent[k])
			stack.push(spelled[g.name[k]]);
		lines.push(stack.reverse().join(";") + " " +
			columns.map((c) => c[i]).join(" ") + "\n");
	}
	return lines;
}

function escaped(s) {
	return s.replace(/[&<>"]/g, (c) => "&#" + c.charCodeAt(0) + ";")
		.replace(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, "\ufffd");
}

// Elsewhere: all rows, not only those on the screen.
function drawOn(f, dark = isDark()) {
	const kept = { ...view };
	$("hover").hidden = true;
	try {
		paint(dark);
		view.width = max(view.width, 600);
		view.height = view.tall = view.rows * view.row;
		view.top = 0;
		f();
	} finally {
		Object.assign(view, kept);
		paint(isDark());
	}
}

// Lines of hatching k in a rectangle, as of a path: x + y or x - y is constant.
function hatched(k, x, y, w, h) {
	const turn = k ? -1 : 1, [low, high] = k ? [-y - h, -y] : [y, y + h];
	let path = "";
	for (let c = ceil((x + low) / 8) * 8; c < x + w + high; c += 8) {
		const a = max(x, c - high), b = min(x + w, c - low);
		path += [["M", a], ["L", b]].map(([to, at]) => to +
			+at.toFixed(1) + " " + +((c - at) * turn).toFixed(1))
			.join("");
	}
	return path;
}

// Draws as a context does, and keeps it as SVG.  Hatching is one path: a
// pattern for each frame would print for minutes.
function drafter() {
	const marks = [];
	return {
		marks, lines: "",
		measureText: (s) => view.ctx.measureText(s),
		fillRect(x, y, w, h) {
			const k = view.hatches.indexOf(this.fillStyle);
			if (k >= 0)
				return this.lines += hatched(k, x, y, w, h);
			marks.push('<rect x="' + x + '" y="' + y +
				'" width="' + w + '" height="' + h +
				'" fill="' + this.fillStyle + (this.node >= 0 ?
				'"><title>' + escaped(describe(this.node)) +
				"</title></rect>" : '"/>'));
		},
		fillText(s, x, y) {
			marks.push('<text x="' + x.toFixed(1) + '" y="' +
				(y + 4) + '"' + (this.globalAlpha < 1 ?
				' opacity=".7"' : "") + ' fill="' +
				this.fillStyle + '">' + escaped(s) +
				"</text>");
		},
	};
}

// Groups that a zoom shows, and those of its ancestors.
function isShown(of) {
	const f = view.focus, at = (i) => of[d.name[i]];
	const shown = new Set(f ? wayTo(f).map(at) : []);
	for (let i = f; f && i < d.end[f]; i++)
		if (d.total[i])
			shown.add(at(i));
	return (k) => !f || shown.has(k);
}

// What the colours stand for: colour, text and name of the heaviest groups.
export function legend() {
	const { names, columns, of } = sumsOf(d.colored);
	const { total } = columns[diff.column] || columns[1];
	if (diff.step)
		return [[0, "less"], [5, "as before"], [10, "more"]];
	const shows = isShown(of);
	return !view.color && !d.families ? [] : heaviest(total).filter((k) =>
		total[k] && shows(k)).slice(0, 8).map((k) => [
		// The root's name is of none, and grey.
		d.color[of.indexOf(k, 1)],
		short(names[k], 30), names[k]]);
}

// The rows, frame by frame.
function draft(to) {
	const list = [], gap = view.row > 6 ? 1 : 0;
	for (let level = 0; level < d.first.length - 1; level++)
		spans(level, view.width, (i, a, b, ink) => {
			const y = rowTop(level), h = view.row - gap;
			to.node = i;
			to.fillStyle = css(ink);
			b -= b - a > 2 ? gap : 0;
			to.fillRect(a, y, b - a, h);
			if (i >= 0)
				list.push(i, a, b, y, level);
		});
	hatchLone(to, list, 1);
	to.marks.push('<path d="' + to.lines + '" stroke="' + view.look.text +
		'" stroke-opacity=".22"/>');
	write(to, list, 1);
}

// Of all rows, or those from a height on.
export function picture(dark, top = 0, h = view.rows * view.row) {
	const to = drafter(), all = view.rows * view.row;
	drawOn(() => {
		to.fillStyle = css(view.paper);
		to.fillRect(0, -28, view.width, h + 60);
		to.fillStyle = view.look.text;
		to.fillText($("title").textContent + " — " +
			$("info").textContent + (h < all ? " · " +
			round(h / view.row) + " of " + view.rows +
			" rows" : ""), 4, -12);
		to.marks.push('<svg height="' + h + '" viewBox="0 ' + top + " " +
			view.width + " " + h + '">');
		draft(to);
		to.marks.push("</svg>");
		let x = 4;
		to.node = -1;
		for (const [color, text] of legend()) {
			to.fillStyle = fillOf(color);
			to.fillRect(x, h + 10, 12, 12);
			to.fillStyle = view.look.text;
			to.fillText(text, x + 17, h + 16);
			x += 40 + view.ctx.measureText(text).width;
		}
	}, dark);
	return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -28 ' +
		view.width + " " + (h + 60) + '" width="' + view.width +
		'" height="' + (h + 60) + '" font-size="12" font-family="' +
		'system-ui, sans-serif">\n' +
		to.marks.join("\n") + "\n</svg>\n";
}

export function savePng() {
	const canvas = element("canvas"), h = view.rows * view.row;
	const to = canvas.getContext("2d", { alpha: false });
	const scale = min(2, 32000 / max(view.width, h));
	drawOn(() => {
		canvas.width = view.width * scale;
		canvas.height = h * scale;
		paintOn(to, scale, cornerOf(scale));
	});
	canvas.toBlob((blob) => save("png", [blob]));
}

// On paper: light, nothing but the graph's rows that are on the screen.
export function listenPrint() {
	addEventListener("beforeprint", () => {
		$("paper").append(new DOMParser().parseFromString(
			picture(false, view.top, min(view.height, view.rows *
			view.row)), "image/svg+xml").documentElement);
	});
	addEventListener("afterprint", () => $("paper").replaceChildren());
}
