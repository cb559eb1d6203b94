/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile: base64 of raw deflate, made by libflame/draw/html.c, which
 * tells its layout.  Nodes come in preorder; a parent's number is smaller
 * than its child's, so everything here is a loop.
 */
const { abs, ceil, floor, max, min, round } = Math;
const u32 = (n) => new Uint32Array(n), f64 = (n) => new Float64Array(n);
const utf8 = new TextDecoder();

function bytesOf(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const s = atob(text), bytes = new Uint8Array(s.length);
	for (let i = 0; i < s.length; i++)
		bytes[i] = s.charCodeAt(i);
	return bytes;
}

async function unpack(packed) {
	try {
		const stream = new Blob([packed]).stream().pipeThrough(
			new DecompressionStream("deflate-raw"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	} catch (e) {
		return inflate(packed);
	}
}

// For browsers without DecompressionStream: RFC 1951.
function inflate(from) {
	let out = new Uint8Array(from.length * 8 + 1024), n = 0;
	let at = 0, hold = 0, held = 0;

	function bits(want) {
		while (held < want) {
			hold |= from[at++] << held;
			held += 8;
		}
		const v = hold & (1 << want) - 1;
		hold >>>= want;
		held -= want;
		return v;
	}
	function tree(lengths) {
		const count = new Uint16Array(16), next = new Uint16Array(16);
		for (const l of lengths)
			count[l]++;
		count[0] = 0;
		for (let i = 1; i < 16; i++)
			next[i] = next[i - 1] + count[i - 1];
		const order = new Uint16Array(lengths.length);
		lengths.forEach((l, i) => { if (l) order[next[l]++] = i; });
		return { count, order };
	}
	function symbol(t) {
		for (let code = 0, first = 0, index = 0, l = 1; l < 16; l++) {
			code |= bits(1);
			const c = t.count[l];
			if (code - c < first)
				return t.order[index + code - first];
			index += c;
			first = first + c << 1;
			code <<= 1;
		}
		throw new Error("damaged data");
	}
	function put(byte) {
		if (n === out.length) {
			const more = new Uint8Array(2 * n);
			more.set(out);
			out = more;
		}
		out[n++] = byte;
	}
	// Base and extra bits; these grow by one every 2^shift codes.
	const steps = (base, n, shift) => Array.from({ length: n }, (x, i) => {
		const e = max((i >> shift) - 1, 0), b = base;
		base += 1 << e;
		return [b, e];
	});
	const lengths = steps(3, 28, 2), distances = steps(1, 30, 1);
	lengths.push([258, 0]);
	function block(literals, dists) {
		for (let s; (s = symbol(literals)) !== 256;) {
			if (s < 256) {
				put(s);
				continue;
			}
			const [l, le] = lengths[s - 257];
			let length = l + bits(le);
			const [d, de] = distances[symbol(dists)];
			const back = d + bits(de);
			while (length--)
				put(out[n - back]);
		}
	}
	function dynamic() {
		const nl = bits(5) + 257, nd = bits(5) + 1, nc = bits(4) + 4;
		const l = new Array(19).fill(0), all = [];
		for (let i = 0; i < nc; i++)
			l[[16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13,
			   2, 14, 1, 15][i]] = bits(3);
		const codes = tree(l);
		while (all.length < nl + nd) {
			const s = symbol(codes);
			if (s < 16) {
				all.push(s);
				continue;
			}
			const v = s === 16 ? all[all.length - 1] : 0;
			let times = s === 16 ? 3 + bits(2) :
				s === 17 ? 3 + bits(3) : 11 + bits(7);
			while (times--)
				all.push(v);
		}
		block(tree(all.slice(0, nl)), tree(all.slice(nl)));
	}
	for (let last = 0; !last;) {
		last = bits(1);
		const kind = bits(2);
		if (kind === 0) {
			hold = held = 0;
			const size = from[at] | from[at + 1] << 8;
			at += 4;
			for (let i = 0; i < size; i++)
				put(from[at++]);
		} else if (kind === 1) {
			block(tree(Array.from({ length: 288 }, (x, i) =>
				i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)),
			tree(new Array(30).fill(5)));
		} else {
			dynamic();
		}
	}
	return out.subarray(0, n);
}

function decode(bytes) {
	let at = 0;

	function number() {
		let v = bytes[at++];
		if (v < 128)
			return v;
		v &= 127;
		for (let scale = 128, c = 128; c > 127; scale *= 128) {
			c = bytes[at++];
			v += (c & 127) * scale;
		}
		return v;
	}
	function string() {
		const size = number();
		at += size;
		return utf8.decode(bytes.subarray(at - size, at));
	}
	function color() {
		at += 3;
		return bytes[at - 3] << 16 | bytes[at - 2] << 8 | bytes[at - 1];
	}
	if (number() !== 1)
		throw new Error("data of another version");
	const flags = number(), n = number(), nsymbols = number();
	const ncolors = number(), rowHeight = number();
	const d = { n, rowHeight, inverted: flags & 1, compares: flags & 2,
		asTree: flags & 4 };
	for (const key of ["title", "subtitle", "notes", "unit", "metric",
			   "highlight"])
		d[key] = string();
	d.light = [];
	d.dark = [];
	for (let i = 0; i < ncolors; i++) {
		d.light.push(color());
		d.dark.push(color());
	}

	// Symbols: a name and how it ran, sorted, front-coded.
	d.names = [];
	d.type = new Uint8Array(nsymbols);
	d.color = new Uint16Array(nsymbols);
	let text = new Uint8Array(1024);
	for (let i = 0; i < nsymbols; i++) {
		const same = number(), more = number();
		if (same + more > text.length) {
			const room = new Uint8Array(2 * (same + more));
			room.set(text);
			text = room;
		}
		text.set(bytes.subarray(at, at + more), same);
		at += more;
		d.names.push(utf8.decode(text.subarray(0, same + more)));
		d.type[i] = number();
		d.color[i] = number();
	}
	nodes(d, number);
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
	function column() {
		const self = f64(n), total = f64(n);
		for (let i = 0; i < n; i++)
			total[i] = self[i] = number();
		for (let i = n; --i > 0;)
			total[parent[i]] += total[i];
		return { self, total };
	}
	for (let i = n; i-- > 0;) {
		end[i] = max(end[i], i + 1);
		end[parent[i]] = max(end[parent[i]], end[i]);
	}
	d.columns = [column()];
	if (d.compares)
		d.columns.push(column());
}

// Where frames lie by the weights of a column: self left of the children.
function place(d, { self, total }) {
	const { n, parent, level } = d, x = f64(n);
	const next = f64(n);
	let depth = 0;

	Object.assign(d, { self, total, x });
	next[0] = self[0];
	for (let i = 1; i < n; i++) {
		x[i] = next[parent[i]];
		next[parent[i]] += total[i];
		next[i] = x[i] + self[i];
		if (total[i])
			depth = max(depth, level[i]);
	}
	levels(d, depth + 1);
}

// By level, from left to right: node, where it begins, totals before it.
// Without weight a frame has no place.
function levels(d, depth) {
	const first = d.first = u32(depth + 1);
	const has = (i) => !i || d.total[i] > 0;
	for (let i = 0; i < d.n; i++)
		if (has(i))
			first[d.level[i] + 1]++;
	for (let l = 0; l < depth; l++)
		first[l + 1] += first[l];
	const n = first[depth], node = d.node = u32(n);
	const from = d.from = f64(n);
	const place = first.slice();
	for (let i = 0; i < d.n; i++) {
		if (!has(i))
			continue;
		const k = place[d.level[i]]++;
		node[k] = i;
		from[k] = d.x[i];
	}
	const before = d.before = f64(n + 1);
	for (let k = 0; k < n; k++)
		before[k + 1] = before[k] + d.total[node[k]];
}
