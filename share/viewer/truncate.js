/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortens captions to the width of a frame.  A caption is [text, index of
 * Class.method in it, index of the method].
 */
// Widths of characters, each measured once.
const advances = new Map();

function advance(ctx, c) {
	let w = advances.get(c);
	if (w === undefined)
		advances.set(c, w = ctx.measureText(c).width);
	return w;
}

// The longest form that fits: with its package, Class.method, method, or the
// method's beginning; "" if fewer than three letters fit.  The widths of the
// forms are cached in the caption.
export function truncate(ctx, c, width) {
	if (!c[3])
		c[3] = (c.forms || [0, c[1], c[2]].map((at) =>
			c[0].slice(at))).map((s) => {
			let wide = 0;
			for (const letter of s)
				wide += advance(ctx, letter);
			return [wide, s];
		});
	for (const [wide, s] of c[3])
		if (wide <= width)
			return s;
	let n = 0, out = "";
	width -= advance(ctx, "…");
	for (const letter of c[3][2][1]) {
		if ((width -= advance(ctx, letter)) < 0)
			break;
		out += letter;
		n++;
	}
	return n < 3 ? "" : out + "…";
}
