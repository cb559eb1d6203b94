/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canvas.  Work depends on pixels, not on frames: in each row in sight
 * the first frame is found by binary search, and frames that share a pixel
 * are drawn as one column, as strong as they cover it.
 */
const looks = {
	light: { bg: "#ffffff", text: "#14181d", match: "#f25bd0",
		matchText: "#14181d", dim: "#eceef1", dimText: "#5b6470" },
	dark: { bg: "#14171c", text: "#f7f9fb", match: "#b3008f",
		matchText: "#ffffff", dim: "#262b32", dimText: "#8b95a1" },
};
let theme, fills, hatch, ctx;
const captions = [];

function rgb(c) {
	return "#" + c.toString(16).padStart(6, "0");
}

// A colour laid over the page with so much strength.
function mix(color, strength) {
	const a = parseInt(color.slice(1), 16);
	const b = parseInt(theme.bg.slice(1), 16);
	let c = 0;
	for (const shift of [16, 8, 0])
		c |= round((a >> shift & 255) * strength +
			(b >> shift & 255) * (1 - strength)) << shift;
	return rgb(c);
}

// Each fill in five strengths: the last is the full one.
const strengths = [0.22, 0.45, 0.7, 0.55, 1];
const shades = (color) => strengths.map((s) => mix(color, s));
const FADED = 3, FULL = 4;

function paint(dark) {
	theme = dark ? looks.dark : looks.light;
	fills = (dark ? d.dark : d.light).map((c) => shades(rgb(c)));
	fills.match = shades(theme.match);
	fills.dim = shades(theme.dim);
	if (d.compares) {
		hatch = hatching();
		paintLegend();
	}
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

function captionOf(symbol) {
	return captions[symbol] || (captions[symbol] =
		caption(d.names[symbol], d.type[symbol]));
}

let due = 0;

function drawSoon() {
	if (!due && !moving)
		due = requestAnimationFrame(draw);
}

function draw() {
	if (tree.open) {
		due = 0;
		drawTree();
		return;
	}
	const canvas = $("canvas");
	const ratio = min(window.devicePixelRatio || 1, moving ? 1 : 3);
	const w = round(view.width * ratio);
	const h = round(view.height * ratio);

	cancelAnimationFrame(due);
	due = 0;
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	ctx.setTransform(w / view.width, 0, 0, h / view.height, 0, 0);
	ctx.fillStyle = theme.bg;
	ctx.fillRect(0, 0, view.width, view.height);
	drawRows();
	drawMini();
	placeHover();
}

// What is in sight, on the background.
function drawRows() {
	const labels = [];
	ctx.font = font();
	ctx.textBaseline = "middle";
	for (let level = 0; level < d.first.length - 1; level++) {
		const y = rowTop(level);
		if (y + view.row > 0 && y < view.height)
			drawRow(level, y, labels);
	}
	write(labels);
}

function font() {
	const size = min(12, max(view.row - 3, 6));
	return size + "px " + getComputedStyle(document.body).fontFamily;
}

function fillOf(i) {
	const symbol = d.name[i];
	if (!search.hit)
		return fills[diff.step ? diff.step[i] : d.color[symbol]];
	return search.hit[symbol] ? fills.match : fills.dim;
}

function drawRow(level, y, labels) {
	const { from, before, node } = d;
	const { row } = view, [x0, x1] = spanOf(level);
	const scale = view.width / (x1 - x0);
	const hi = d.first[level + 1];
	const above = isAround(level);
	const gap = row > 6 ? 1 : 0;
	let k = lowest(d.first[level], hi,
		(k) => from[k] + (before[k + 1] - before[k]) > x0);

	while (k < hi && from[k] < x1) {
		const i = node[k];
		const weight = before[k + 1] - before[k];
		const left = max((from[k] - x0) * scale, 0);
		if (weight * scale < 1.5) {
			k = drawDust(k, hi, left, y, row - gap, x0, scale);
			continue;
		}
		const right = min((from[k] + weight - x0) * scale,
			view.width);
		const a = round(left);
		const b = max(round(right), a + 1);
		const w = b - a > 2 ? b - a - 1 : b - a;
		ctx.node = i;
		ctx.fillStyle = fillOf(i)[above ? FADED : FULL];
		ctx.fillRect(a, y, w, row - gap);
		if (w > 2 && isLone(i)) {
			ctx.fillStyle = hatch;
			ctx.fillRect(a, y, w, row - gap);
		}
		if (right - left >= 26 && row >= 12)
			labels.push(d.name[i], left, y, right - left, above);
		k++;
	}
}

// All frames that begin in one pixel; the next k.
function drawDust(k, hi, left, y, height, x0, scale) {
	const pixel = floor(left);
	const edge = x0 + (pixel + 1) / scale;
	let end = max(k + 1, lowest(k + 1, hi, (j) => d.from[j] >= edge));

	if (end - 1 > k && (d.before[end] - d.before[end - 1]) * scale >= 1.5)
		end--;
	const share = (d.before[end] - d.before[k]) * scale;
	const strength = share < 0.3 ? 0 : share < 0.6 ? 1 : share < 0.85 ? 2 :
		FULL;
	let fill = fillOf(d.node[k]);
	if (search.hit)
		fill = search.before[end] > search.before[k] ? fills.match :
			fills.dim;
	ctx.node = -1;
	ctx.fillStyle = fill[strength];
	ctx.fillRect(pixel, y, 1, height);
	return end;
}

function write(labels) {
	for (let i = 0; i < labels.length; i += 5) {
		const symbol = labels[i], above = labels[i + 4];
		const text = fit(ctx, captionOf(symbol), labels[i + 3] - 8);
		if (!text)
			continue;
		ctx.fillStyle = !search.hit ? theme.text :
			search.hit[symbol] ? theme.matchText : theme.dimText;
		ctx.globalAlpha = above ? 0.7 : 1;
		ctx.fillText(text, labels[i + 1] + 4,
			labels[i + 2] + view.row / 2);
	}
	ctx.globalAlpha = 1;
}
