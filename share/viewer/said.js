/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the picture shows, in a line of words: shares of all that the steps
 * left, each a link to its frames.  The order of rules and of ties is fixed, so
 * the same profile says the same.
 */
const SPECIFIC = 0.25, TRUNK = 0.95, LEAST_SHARE = 0.05, FEW_SAMPLES = 100;

// Work that has a name of its own: the word, the names of its frames, and the
// least share that is said.
const works = [
	["zstd", "zstd|^(huf|fse)_", LEAST_SHARE],
	["lz4", "lz4", LEAST_SHARE],
	["snappy", "snappy", LEAST_SHARE],
	["zlib", "zlib|libz\\.so|zip[./_](in|de)flater|^(in|de)flate|longest_match",
		LEAST_SHARE],
	["regular expressions", "util[./]regex[./]|re2::|^pcre|^sre_",
		LEAST_SHARE],
	["the JIT compiler", "CompileBroker::|^C[12]Compiler::|^Compile::",
		LEAST_SHARE],
	["GC", "^(G1|Shenandoah|PSPromotion|PSParallel|ParCompaction|" +
		"GCTask|ParallelGC|DefNew|VM_G1|VM_GC|VM_Parallel|VM_Gen|" +
		"Z(Mark|Reloc|Generation|Driver|Collect)|GangWorker|" +
		"runtime\\.gc[A-Z]|v8::internal::Heap::Collect|" +
		"gc_collect_)", 0.01],
].map(([word, text, least]) => ({ word, text: "/" + text + "/", least,
	test: makeRegexp(text, /[A-Z]/.test(text) ? "u" : "iu") }));
// Most names are of none.
const someWork = new RegExp(works.map(({ test }) => test.source).join("|"), "iu");
const anyWork = (name) => someWork.test(name) ? works.reduce((bits, { test }, k) =>
	bits | test.test(name) << k, 0) : 0;
let saidOf = null;	// the columns that the line is of

// Code of the platform and of engines; what Spark generates is the query's.
const platform = /^(\[|<|java|jdk|sun[./]|com[./]sun[./]|scala[./]|kotlin[./]|org[./]apache[./](spark|hadoop)[./](?!.*Generated(Class|Iter)))/;
const hasJava = () => d.type.some((t) => t > 0 && t < 4);
const isOwn = (s, java) => !platform.test(d.names[s]) &&
	(!java || !"4568".includes(d.type[s]));

// By method: self and total; by kind: self; by work: total of the outermost.
function saidSums({ self, total }) {
	const { n, name, parent, end } = whole, { method, type, names } = d;
	const own = f64(names.length), all = f64(names.length);
	const until = u32(names.length), inside = u8(n), kinds = f64(10);
	const bits = Uint8Array.from(names, anyWork), done = f64(works.length);
	for (let i = 1; i < n; i++) {
		const s = name[i], m = method[s], above = inside[parent[i]];
		const fresh = bits[s] & ~above;
		own[m] += self[i];
		kinds[type[s]] += self[i];
		inside[i] = above | bits[s];
		if (i >= until[m]) {
			all[m] += total[i];
			until[m] = end[i];
		}
		for (let k = 0; fresh >> k; k++)
			if (fresh >> k & 1)
				done[k] += total[i];
	}
	return { own, all, kinds, done, bits };
}

// The most specific function that has a quarter; of the own code, if one has.
// Works and the kernel have a part of their own.
function specific({ own, all, bits }, sum) {
	const java = hasJava();
	const list = [...all.keys()].filter((m) => all[m] >= sum * SPECIFIC &&
		all[m] < sum * TRUNK && !bits[m] && d.type[m] !== 6);
	const mine = list.filter((m) => isOwn(m, java));
	return (mine[0] ? mine : list).sort((a, b) => all[a] - all[b] ||
		own[b] - own[a] || a - b)[0];
}

const wholePercent = (part, sum) => round(part / sum * 100) + "%";
const shortName = (s) => {
	const [text, at, method] = captionOf(s);
	return short(text.slice(text.length - at > 40 ? method : at), 60);
};

// [weight, text before the link, its text, what it finds]: the function first,
// then the rest by weight.
function saidParts() {
	const column = widths(whole), sum = column.total[0];
	const sums = saidSums(column), { own, all, kinds, done } = sums;
	const parts = [], m = specific(sums, sum);
	// A link is long enough for a finger.
	const put = (part, before, word, text) => parts.push([part,
		" " + (word[3] ? before : ""), (word[3] ? "" : before) + word,
		text]);
	const top = own.reduce((best, v, m) => v > own[best] ? m : best, 0);
	if (m)
		put(all[m], "in ", shortName(m), "=" + d.names[m]);
	if (top && top !== m && (!m ||
		(own[top] >= sum * LEAST_SHARE && !sums.bits[top])))
		put(own[top], "in ", shortName(top) + " itself",
			"=" + d.names[top]);
	works.forEach(({ word, text, least }, k) => done[k] >= sum * least &&
		put(done[k], "in ", word, text));
	if (kinds[1] >= sum * LEAST_SHARE)
		put(kinds[1], "", "interpreted", "type:" + typeNames[1]);
	if (kinds[6] >= sum * LEAST_SHARE)
		put(kinds[6], "in ", "the kernel", "type:" + typeNames[6]);
	const [first] = parts.splice(0, 1);
	return first ? [first, ...parts.sort((a, b) => b[0] - a[0])] : [];
}

// How far off a share may be, 19 times in 20.
function trust(n) {
	return d.unit === "samples" && n < FEW_SAMPLES ? "With " +
		amount(n) + " a share may be off by " +
		round(98 / Math.sqrt(n)) + " points. " : "";
}

function fillSaid() {
	const said = $("said"), [sum] = whole.columns[0].total;
	if (saidOf === whole.columns)
		return;
	saidOf = whole.columns;
	const parts = d.compares || !sum ? [] : saidParts();
	said.hidden = !parts[0];
	const { total: [all] } = widths(whole);
	said.replaceChildren(...parts.flatMap(([part, before, word, text], k) => [
		(k ? "; " : "") + wholePercent(part, all) +
			(k || !d.metric ? "" : " of " + d.metric) + before,
		button(word, () => find(text), { title: "Mark it" })]),
	". " + trust(sum));
}
