/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile: base64 of raw deflate, made by libflame/draw/html.c, which
 * says its layout.  Nodes come in preorder; a parent's number is smaller
 * than its child's, so everything here is a loop.
 */
import { max } from "./numbers.js";
import { trunk } from "./trunk.js";
import { samplesOf } from "./time.js";

export const u32 = (n) => new Uint32Array(n), f64 = (n) => new Float64Array(n);
export const u8 = (n) => new Uint8Array(n);
export const utf8 = new TextDecoder();
export const GROUP = 9, typeNames = ["", "Java, interpreted", "Java, compiled",
	"inlined", "native", "C++", "kernel", "Java, compiled by C1",
	"Java, native", ""];

export function bytesOf(text) {
	return Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) :
		Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

export async function unpack(packed) {
	const stream = new Blob([packed]).stream().pipeThrough(
		new DecompressionStream("deflate-raw"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function decode(bytes) {
	let at = 0;

	const number = () => {
		let v = bytes[at++];
		if (v < 128)
			return v;
		const first = at - 1;
		v &= 127;
		for (let scale = 128, c = 128; c > 127; scale *= 128) {
			c = bytes[at++];
			v += (c & 127) * scale;
		}
		if (v > Number.MAX_SAFE_INTEGER)
			number.rest += exactly(first, at) - BigInt(v);
		return v;
	};
	// What doubles left out of all numbers so far.
	number.rest = 0n;
	const exactly = (from, to) => bytes.subarray(from, to).reduceRight(
		(v, byte) => v << 7n | BigInt(byte & 127), 0n);
	const string = () => {
		const size = number();
		at += size;
		return utf8.decode(bytes.subarray(at - size, at));
	};
	const color = () => {
		at += 3;
		return bytes[at - 3] << 16 | bytes[at - 2] << 8 | bytes[at - 1];
	};
	if (number() !== 3)
		throw new Error("data of another version");
	const flags = number(), n = number(), nsymbols = number();
	const ncolors = number(), rowHeight = number();
	const d = { n, rowHeight, inverted: flags & 1, compares: flags & 2,
		asTree: flags & 4, byWeight: !!(flags & 32),
		folds: !(flags & 128) };
	for (const key of ["title", "subtitle", "notes", "unit", "metric",
			   "highlight"])
		d[key] = string();
	if (flags & 16)
		d.opens = string();
	d.light = [];
	d.dark = [];
	for (let i = 0; i < ncolors; i++) {
		d.light.push(color());
		d.dark.push(color());
	}

	// A text that begins as the one before it does.
	let text = u8(1024);
	const coded = () => {
		const same = number(), more = number();
		if (same + more > text.length) {
			const room = u8(2 * (same + more));
			room.set(text);
			text = room;
		}
		text.set(bytes.subarray(at, at + more), same);
		at += more;
		return utf8.decode(text.subarray(0, same + more));
	};
	// Symbols: a name and how it ran, sorted.
	d.names = [];
	d.type = u8(nsymbols);
	d.color = new Uint16Array(nsymbols);
	for (let i = 0; i < nsymbols; i++) {
		d.names.push(coded());
		d.type[i] = number();
		d.color[i] = number();
	}
	// What is written on it: a part of the name, and an end of its own.
	d.spelling = [1, 1, 1, 1].map(() => u32(nsymbols).map(number));
	d.own = Array.from(d.spelling[0], (way) => way & 2 ? coded() : "");
	// The first symbol of the same name: how it ran aside.
	let first = 0;
	d.method = d.spelling[0].map((way, i) => i > 1 &&
		d.names[i] === d.names[i - 1] ? first : first = i);
	nodes(d, number);
	if (flags & 8)
		d.moments = samplesOf(number, string, coded, flags & 256);
	if (flags & 64)
		d.families = d.light.map(string);
	d.said = [];
	for (let n = d.compares ? 0 : number(); n--;)
		d.said.push([string(), string(), string()]);
	return d;
}

function nodes(d, number) {
	const n = d.n, children = u32(n);
	const name = d.name = u32(n);
	const parent = d.parent = u32(n);
	const level = d.level = u32(n);
	const end = d.end = u32(n);
	const seen = d.names.map(() => null);

	for (let i = 0; i < n; i++)
		children[i] = number();
	for (let i = 0; i < n; i++)
		name[i] = number();
	// Ranks among the names seen below the parent's name; 0: a new one.
	for (let i = 0, at = 0; i < n; i++) {
		if (i) {
			while (!children[at])
				at = parent[at];
			children[at]--;
			parent[i] = at;
			level[i] = level[at] + 1;
			const above = seen[name[at]] || (seen[name[at]] = []);
			if (name[i])
				name[i] = above[name[i] - 1];
			else
				above.push(name[i] = number());
		} else {
			name[i] = number();
		}
		at = i;
	}
	// Its sum is exact: a double holds it up to 2^53, and a BigInt the rest.
	const column = () => {
		let self = f64(n), low = 0, sum = 0n;
		number.rest = 0n;
		for (let i = 0; i < n; i++) {
			const v = self[i] = number();
			if (low + v < 2 ** 52) {
				low += v;
			} else {
				sum += BigInt(low) + BigInt(v);
				low = 0;
			}
		}
		sum += BigInt(low) + number.rest;
		self = sum < 2 ** 32 ? new Uint32Array(self) : self;
		return { self, total: totals(self, parent), sum };
	};
	ends(d);
	d.columns = [column()];
	if (d.compares)
		d.columns.push(column());
}

export function totals(self, parent) {
	const total = self.slice();
	for (let i = total.length; --i > 0;)
		total[parent[i]] += total[i];
	return total;
}

// After the last node of each node's subtree.
export function ends({ n, parent, end }) {
	for (let i = n; i-- > 0;) {
		end[i] = max(end[i], i + 1);
		end[parent[i]] = max(end[parent[i]], end[i]);
	}
}

// The difference of two sums of levels(), which may have run over.
export const between = (a, b) => b < a ? b - a + 2 ** 32 : b - a;

// Where frames lie by the weights of a column: self left of the children.
// From d.split on they lie on the other side of the root.
export function place(d, { self, total }) {
	const { n, parent, split } = d, x = new self.constructor(n);
	const next = new self.constructor(n);

	Object.assign(d, { self, total, x });
	next[0] = self[0];
	for (let i = 1; i < n; i++) {
		if (i === split)
			next[0] = 0;
		const up = parent[i], at = x[i] = next[up];
		next[up] = at + total[i];
		next[i] = at + self[i];
	}
	levels(d);
}

/*
 * By level, from left to right: node, its symbol, where it begins, totals
 * before it.  Without weight, or folded, a frame has no place.
 */
export function levels(d) {
	const { n, level, x, name } = d, { first: hidden } = trunk;
	const total = hidden.size ? d.total.slice() : d.total;
	for (const i of hidden.keys())
		total[i] = 0;
	let depth = d.base || 0, many = 0;
	for (let i = 1; i < n; i++)
		if (total[i] && level[i] > depth)
			depth = level[i];
	const first = d.first = u32(depth + 2);
	first[(d.base || 0) + 1]++;
	for (let i = 1; i < n; i++)
		if (total[i])
			first[level[i] + 1]++;
	for (let l = 0; l <= depth; l++)
		many = first[l + 1] += first[l];
	const node = d.node = u32(many), named = d.named = u32(many);
	d.matched = null;
	const from = d.from = new x.constructor(many);
	const before = d.before = new x.constructor(many + 1);
	const place = first.slice();
	for (let i = 0; i < n; i++) {
		if (i && !total[i])
			continue;
		const k = place[level[i]]++;
		node[k] = i;
		named[k] = name[i];
		from[k] = x[i];
		before[k + 1] = total[i];
	}
	for (let k = 0; k < many; k++)
		before[k + 1] += before[k];
}
