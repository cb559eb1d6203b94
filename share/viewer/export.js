/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is seen, for elsewhere: as a picture, as text.
 */
function fileName(suffix) {
	return (d.title || "flame").replace(/[^\w.-]+/g, "-").slice(0, 80) +
		"." + suffix;
}

function saveBlob(suffix, blob) {
	const a = element("a"), url = URL.createObjectURL(blob);
	a.href = url;
	a.download = fileName(suffix);
	a.click();
	setTimeout(() => URL.revokeObjectURL(url), 60000);
}

function save(suffix, ...parts) {
	saveBlob(suffix, new Blob(parts));
}

function tell(text) {
	$("status").textContent = $("live").textContent = text;
}

async function copy(text) {
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
	tell("Copied: " + short(text, 200));
}

// Names from the root to a node, as they are called.
function stackOf(i) {
	const list = [];
	for (; i; i = d.parent[i])
		list.unshift(d.names[d.name[i]]);
	return view.mode === "callers" || (d.split && i >= d.split) ?
		list.reverse() : list;
}

const suffixes = ["", "_[0]", "_[j]", "_[i]", "", "", "_[k]", "_[1]"];

// Folded stacks of what the steps left, of the zoomed frame where they do.
function folded() {
	const g = grown ? whole : d, parts = [], stack = [];
	const spelled = d.names.map((s, i) => {
		const suffix = suffixes[d.type[i]] || "";
		s = s.replace(/[;\n]/g, ":");
		return s.endsWith(suffix) ? s : s + suffix;
	});
	const to = grown ? g.n : g.end[view.focus];
	const columns = g.columns.map((c) => c.self);
	let lines = "";
	for (let i = grown ? 0 : view.focus; i < to; i++) {
		let k = i;
		for (stack.length = 0; k; k = g.parent[k])
			stack.push(spelled[g.name[k]]);
		if (!columns.some((c) => c[i]))
			continue;
		lines += stack.reverse().join(";") + " " +
			columns.map((c) => c[i]).join(" ") + "\n";
		if (lines.length > 1 << 20) {
			parts.push(lines);
			lines = "";
		}
	}
	parts.push(lines);
	return parts;
}

function escaped(s) {
	return s.replace(/[&<>"]/g, (c) => "&#" + c.charCodeAt(0) + ";")
		.replace(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, "\ufffd");
}

// With another context: all rows, not only those on the screen.
function drawOn(other, dark, f) {
	const kept = { ...view }, real = ctx;
	$("hover").hidden = true;
	try {
		ctx = other;
		paint(dark);
		view.width = max(view.width, 600);
		view.height = view.tall = view.rows * view.row;
		view.whole = true;
		f();
	} finally {
		Object.assign(view, kept);
		ctx = real;
		paint(isDark());
	}
}

// Draws as a context does, and keeps it as SVG.
function drafter() {
	const real = ctx, list = [];
	const put = (x, y, w, h, fill, more) => list.push('<rect x="' + x +
		'" y="' + y + '" width="' + w + '" height="' + h +
		'" fill="' + fill + '"' + more);
	return {
		list, fillStyle: "", globalAlpha: 1, tip: "",
		measureText: (s) => real.measureText(s),
		fillRect(x, y, w, h) {
			const hatched = typeof this.fillStyle !== "string";
			put(x, y, w, h, hatched ? theme.text : this.fillStyle,
				hatched ? ' opacity=".15"/>' : this.node < 0 ?
				"/>" : "><title>" + escaped(describe(
				this.node)) + "</title></rect>");
		},
		fillText(s, x, y) {
			list.push('<text x="' + x.toFixed(1) + '" y="' +
				(y + 4) + '"' + (this.globalAlpha < 1 ?
				' opacity=".7"' : "") + ' fill="' +
				this.fillStyle + '">' + escaped(s) +
				"</text>");
		},
	};
}

function picture(dark = isDark()) {
	const to = drafter(), h = view.rows * view.row;
	const head = d.title || "Flame graph";
	drawOn(to, dark, () => {
		to.fillStyle = theme.bg;
		to.node = -1;
		to.fillRect(0, -28, view.width, h + 36);
		to.fillStyle = theme.text;
		to.fillText(head + " — " + $("info").textContent, 4, -12);
		drawRows();
	});
	return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -28 ' +
		view.width + " " + (h + 36) + '" width="' + view.width +
		'" height="' + (h + 36) + '" font-size="12" font-family="' +
		'system-ui, sans-serif">\n' +
		to.list.join("\n") + "\n</svg>\n";
}

function savePng() {
	const canvas = element("canvas"), h = view.rows * view.row;
	const to = canvas.getContext("2d", { alpha: false });
	const scale = min(2, 32000 / max(view.width, h));
	canvas.width = view.width * scale;
	canvas.height = h * scale;
	to.scale(scale, scale);
	drawOn(to, isDark(), () => {
		to.fillStyle = theme.bg;
		to.fillRect(0, 0, view.width, h);
		drawRows();
	});
	canvas.toBlob((blob) => saveBlob("png", blob));
}

// On paper: light, whole, nothing but the graph.
function listenPrint() {
	addEventListener("beforeprint", () => {
		if (!tree.open)
			$("paper").append(new DOMParser().parseFromString(
				picture(false), "image/svg+xml")
				.documentElement);
	});
	addEventListener("afterprint", () => $("paper").replaceChildren());
}
