/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canvas.  Work depends on pixels, not on frames: in each row in sight
 * the first frame is found by binary search, and frames that share a pixel
 * are drawn as one column, as strong as they cover it.
 */
import { ceil, floor, max, min, round } from "./numbers.js";
import { d, view } from "./state.js";
import { between, u32 } from "./data.js";
import { truncate } from "./truncate.js";
import { $, all, boxOf, isAround, lowest, rectOf, rowTop, spanOf }
	from "./view.js";
import { captionAt, runOf } from "./trunk.js";
import { search } from "./search.js";
import { diff, hatchLone, numberOf, paintLegend } from "./diff.js";
import { drawTree, tree } from "./tree.js";
import { groupSums } from "./pane.js";
import { drawHeat } from "./time.js";
import { chart, drawChart, outlineChart } from "./flame_chart.js";
import { keySoon } from "./legend.js";
import { drawMini } from "./pointer.js";
import { element, seenAs } from "./page.js";

const looks = {
	light: { bg: 0xffffff, text: "#14181d", match: 0xf478d8,
		matchText: "#14181d", dim: 0xeceef1, dimText: "#474f59",
		heat: "f5f6f8 fde8cf fbc98d f3a04b d9701b 9c3d00".split(" ") },
	dark: { bg: 0x14171c, text: "#f7f9fb", match: 0xb3008f,
		matchText: "#fff", dim: 0x262b32, dimText: "#8b95a1",
		heat: "1c2026 3b2f1d 6a4413 a35f10 df8a2d ffd08a".split(" ") },
};
// Colours are as pixels have them: 0xAABBGGRR.
const swapped = (c) => c & 0xff00 | (c & 255) << 16 | c >> 16 & 255;
const inkOf = (c) => (swapped(c) | 255 << 24) >>> 0;
export const css = (ink) => "#" + (swapped(ink) | 1 << 24)
	.toString(16).slice(1);

// One laid over another with so much strength.
function mix(a, b, strength) {
	const m = round(strength * 256), n = 256 - m;
	return (((a & 0xff00ff) * m + (b & 0xff00ff) * n >>> 8 & 0xff00ff |
		(a & 0xff00) * m + (b & 0xff00) * n >>> 8 & 0xff00) |
		255 << 24) >>> 0;
}

// Each fill in five strengths; those of the profile, of matches, of others.
export const strengths = [0.22, 0.45, 0.7, 0.55, 1], FADED = 3, FULL = 4;
export const captions = [];
const edged = matchMedia("(prefers-contrast: more), (forced-colors: active)");

export function paint(dark) {
	const look = view.look = dark ? looks.dark : looks.light;
	const paper = view.paper = inkOf(look.bg);
	const fills = [...(dark ? d.dark : d.light), look.match, look.dim];
	view.inks = Uint32Array.from(fills.flatMap((c) => strengths.map((s) =>
		mix(inkOf(c), paper, s))));
	paintLegend();
}

/*
 * The colours that the profile came with, or a hue for each of the heaviest
 * groups, as libflame/draw/frame_color.c has them.  Of the page's colours the
 * ramp of a comparison comes first, then these hues.
 */
export const RAMP = 11, HUES = 24, colorings = ["", "package", "library"];

export const heaviest = (weights) => [...weights.keys()].sort((a, b) =>
	weights[b] - weights[a]);

export function colorBy(by) {
	const at = max(colorings.indexOf(by), 0);
	const tab = ["Kinds", "Packages", "Libraries"][at];
	if (tab === d.colored)
		return;
	view.color = by = colorings[at];
	d.colored = tab;
	d.kinds ||= d.color;
	d.color = d.kinds;
	if (by) {
		const { names, of, columns } = groupSums(tab, view.given);
		const rank = u32(names.length);
		heaviest(columns.at(-1).self).forEach((k, at) =>
			rank[k] = RAMP + at % HUES);
		d.color = d.color.map((kind, s) => names[of[s]] === "(none)" ?
			d.color[0] : rank[of[s]]);
	}
}

export const fillOf = (color) => css(view.inks[color * 5 + FULL]);

// The text of a symbol's caption.
export function shownOf(symbol) {
	const [ways, behind] = d.spelling, name = d.names[symbol];
	const text = name.slice(ways[symbol] >> 2, name.length - behind[symbol]);
	return seenAs((ways[symbol] & 1 ? text.replaceAll("/", ".") : text) +
		d.own[symbol]);
}

// [text, index of Class.method in it, index of the method].
export function captionOf(symbol) {
	const [, , at, more] = d.spelling;
	return captions[symbol] ||= [shownOf(symbol), at[symbol],
		at[symbol] + more[symbol]];
}

export function colorOf(i) {
	const symbol = d.name[i];
	if (search.hit)
		return d.light.length + 1 - search.hit[symbol];
	return diff.step ? diff.step[i] : d.color[symbol];
}

/*
 * What is seen of a row of this many pixels, from left to right:
 * put(node, left, right, ink).  Frames that begin in the same pixel are one,
 * without a node.
 */
export function spans(level, width, put) {
	const { from, before, node, named, color } = d;
	const { hit, before: hits } = search, { step } = diff;
	const { inks: palette } = view;
	const [x0, x1] = spanOf(level), scale = width / (x1 - x0);
	const full = isAround(level) ? FADED : FULL, hi = d.first[level + 1];
	const dim = d.light.length + 1;
	let k = lowest(d.first[level], hi, (k) => from[k] +
		between(before[k], before[k + 1]) > x0);

	while (k < hi && from[k] < x1) {
		const x = (from[k] - x0) * scale, left = max(x, 0);
		const wide = between(before[k], before[k + 1]);
		const right = (from[k] - x0 + wide) * scale;
		let ink = 5 * (hit ? dim - hit[named[k]] :
			step ? step[node[k]] : color[named[k]]);
		if (right - x >= 1.5) {
			const a = round(left), b = round(min(right, width));
			put(node[k++], a, max(b, a + 1), palette[ink + full]);
			continue;
		}
		const pixel = left | 0;
		let end = beyond(from, k + 1, hi, x0 + (pixel + 1) / scale);
		// The last one may be wide.
		if (end - 1 > k && between(before[end - 1], before[end]) *
		    scale >= 1.5)
			end--;
		if (hit)
			ink = 5 * (dim - (hits[end] > hits[k]));
		const share = between(before[k], before[end]) * scale;
		put(-1, pixel, pixel + 1, palette[ink + (share < 0.3 ? 0 :
			share < 0.6 ? 1 : share < 0.85 ? 2 : FULL)]);
		k = end;
	}
}

// The first place from k on where a frame begins at x or farther right.
export function beyond(from, k, hi, x) {
	let by = 8;
	for (; k + by < hi && from[k + by] < x; by *= 2)
		k += by;
	while (by > 8)
		if (k + (by /= 2) < hi && from[k + by] < x)
			k += by;
	while (k < hi && from[k] < x)
		k++;
	return k;
}

// A quarter of a rounded corner, by how far from it: [x, y, strength].
export function cornerOf(ratio) {
	const list = [], r = round(2 * ratio);
	for (let k = 0; k < r * r; k++) {
		const x = k % r, y = floor(k / r);
		const far = Math.hypot(r - x - 0.5, r - y - 0.5);
		if (far > r - 0.5)
			list.push([x, y, max(r + 0.5 - far, 0)]);
	}
	return list;
}

/*
 * The frames in sight: of a row one line is drawn on pixels, and a line more
 * for each above and below that has corners; the canvas makes the one as tall
 * as the row.  Those that are a node's go on a list: node, left, right, top,
 * level.
 */
export function paintRows(c, ratio, list, corner) {
	const { width, height } = c.canvas, rows = [];
	const gap = view.row > 6 ? ceil(ratio - 0.5) : 0;
	const deep = corner[0] ? round(2 * ratio) : 0, each = 2 * deep + 1;
	for (let level = 0; level < d.first.length - 1; level++) {
		const y = rowTop(level), top = round(y * ratio);
		const end = round((y + view.row) * ratio) - gap;
		if (top < height && end > 0)
			rows.push([level, top, end - top]);
	}
	const { lines, image } = linesOf(c, width, rows.length * each);
	const px = new Uint32Array(image.data.buffer);

	const round4 = (a, b, top) => {
		for (const [x, y, strength] of corner)
			for (const at of [a + x, b - 1 - x]) {
				const up = (top + y) * width + at;
				const low = (top + each - 1 - y) * width + at;
				px[up] = mix(px[up], view.paper, strength);
				px[low] = mix(px[low], view.paper, strength);
			}
	};
	rows.forEach(([level, top], row) => {
		const line = row * each * width, first = list.length;
		px.fill(view.paper, line, line + width);
		spans(level, width, (i, a, b, ink) => {
			if (i < 0) {
				px[line + a] = ink;
				return;
			}
			b -= b - a > 2 * gap ? gap : 0;
			px.fill(ink, line + a, line + b);
			list.push(i, a, b, top, level);
		});
		for (let k = 1; k < each; k++)
			px.copyWithin(line + k * width, line, line + width);
		for (let k = first; deep && k < list.length; k += 5)
			if (list[k + 2] - list[k + 1] > 6 * ratio)
				round4(list[k + 1], list[k + 2], row * each);
	});
	lines.getContext("2d").putImageData(image, 0, 0);
	c.resetTransform();
	c.imageSmoothingEnabled = false;
	c.fillStyle = css(view.paper);
	c.fillRect(0, 0, width, height);
	rows.forEach(([, top, tall], row) => {
		const put = (from, n, to, tall) => c.drawImage(lines, 0,
			row * each + from, width, n, 0, top + to, width, tall);
		put(deep, 1, deep, max(tall - 2 * deep, 0));
		if (deep) {
			put(0, deep, 0, deep);
			put(deep + 1, deep, tall - deep, deep);
		}
	});
	// As hatches want it.
	c.imageSmoothingEnabled = true;
}

// So many lines of pixels of a canvas, or more.
export function linesOf(c, width, height) {
	const { lines } = c;
	if (lines && lines.width === width && lines.height >= height)
		return c;
	c.lines = element("canvas");
	c.lines.width = width;
	c.lines.height = height;
	c.image = c.lines.getContext("2d", { alpha: false })
		.createImageData(width, height || 1);
	return c;
}

// All that is in view, on a canvas of this many pixels by CSS pixel.
export function paintOn(c, ratio, corner) {
	const list = [];
	paintRows(c, ratio, list, corner);
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	hatchLone(c, list, ratio);
	c.strokeStyle = "#8c959f";
	c.lineWidth = 1;
	// And the function between its callers and callees.
	const all = edged.matches;
	for (let k = 0; k < list.length && (all || d.split); k += 5)
		if (all || list[k + 4] === d.base)
			c.strokeRect(list[k + 1] / ratio + 0.5, list[k + 3] /
				ratio + 0.5, (list[k + 2] - list[k + 1]) / ratio,
			view.row - 1);
	write(c, list, ratio);
	return list;
}

export function write(c, list, ratio) {
	c.font = min(12, max(view.row - 3, 6)) + "px " + view.family;
	c.textBaseline = "middle";
	for (let k = 0; view.row >= 12 && k < list.length; k += 5) {
		const wide = (list[k + 2] - list[k + 1]) / ratio;
		if (wide < 25)
			continue;
		const symbol = d.name[list[k]];
		const name = captionAt(list[k]);
		const tag = !name.forms && numberOf(list[k]);
		let text = tag && truncate(c, [name[0] + tag, ...name.slice(1, 3)],
			wide - 7);
		if (!text || text.endsWith("…"))
			text = truncate(c, name, wide - 7);
		if (!text)
			continue;
		c.fillStyle = !search.hit ? view.look.text :
			runOf(list[k]).some((i) => search.hit[d.name[i]]) ?
			view.look.matchText : view.look.dimText;
		c.globalAlpha = isAround(list[k + 4]) ? 0.7 : 1;
		c.fillText(text, list[k + 1] / ratio + 4,
			list[k + 3] / ratio + view.row / 2);
	}
	c.globalAlpha = 1;
	c.fillStyle = view.look.text;
	if (!all())
		c.fillText(view.steps[0] ? "No sample passes these filters." :
			"There are no samples.", 12, view.height / 2);
}

// Over the graph: the frame in hand, and all others of its function in sight.
export function placeHover() {
	const over = $("hover"), i = view.current, c = over.getContext("2d");
	const at = chart.open ? "chart_canvas" : "canvas", box = rectOf(at);
	const { width, height } = $(at), ratio = width / box.width;
	over.hidden = i < 0 || tree.open;
	if (over.hidden)
		return;
	Object.assign(over.style, { left: box.left + "px",
		top: box.top + "px", width: box.width + "px" });
	if (over.width !== width || over.height !== height) {
		over.width = width;
		over.height = height;
	}
	c.clearRect(0, 0, width, height);
	c.strokeStyle = view.look.text;
	c.lineWidth = ratio;
	if (chart.open) {
		outlineChart(c, ratio);
		return;
	}
	const [x, y, w, h] = boxOf(i), method = d.method[d.name[i]];
	for (let k = 0; k < seen.length; k += 5)
		if (seen[k] !== i && d.method[d.name[seen[k]]] === method)
			c.strokeRect(seen[k + 1] + ratio / 2, seen[k + 3] +
				ratio / 2, seen[k + 2] - seen[k + 1] - ratio,
			(view.row - 2) * ratio);
	c.lineWidth = 2 * ratio;
	c.strokeRect(max(round(x), 1) * ratio, y * ratio,
		(round(x + w) - round(x)) * ratio, h * ratio);
}

let due = 0;
let coarse = false;		// what moves has fewer pixels
let seen = [];			// the list of what was drawn last

export function drawSoon() {
	if (!due && !view.moving)
		due = requestAnimationFrame(draw);
}

export function draw() {
	cancelAnimationFrame(due);
	due = 0;
	keySoon();
	drawHeat();
	if (chart.open) {
		drawChart();
		return;
	}
	if (tree.open) {
		drawTree();
		return;
	}
	const begin = performance.now(), canvas = $("canvas");
	const ratio = min(devicePixelRatio, view.moving && coarse ? 1 : 3);
	const w = round(view.width * ratio), h = round(view.height * ratio);

	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	view.top = $("main").scrollTop;
	seen = paintOn(view.ctx, ratio, view.moving ? [] : cornerOf(ratio));
	drawMini();
	placeHover();
	coarse = view.moving && (coarse || performance.now() - begin > 12);
}
