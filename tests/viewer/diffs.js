/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in the page that diffs makes: what before and after have in common. */
	const saved = [];
	URL.createObjectURL = () => "about:blank";
	HTMLAnchorElement.prototype.click = () => {};

	function search(text) {
		$("search").value = text;
		$("search").dispatchEvent(new Event("input"));
	}
	// A frame's line, its tooltip, its label; "" where it is not there.
	async function at(name) {
		search("=" + name);
		await pause(20);
		key("n");
		const text = $("found").textContent.endsWith(" 0") ? "" :
			$("status").textContent;
		search("");
		return text;
	}
	async function shown(name) {
		await at(name);
		key("p");
		const text = [...$("tip").querySelectorAll("tr")].map((row) =>
			[...row.children].map((e) => e.textContent).join("|"));
		text.unshift($("tip").firstChild.textContent);
		key("p");
		return text;
	}
	// Links that come to rest are stored a little later.
	async function choose(id, value) {
		$(id).value = value;
		$(id).dispatchEvent(new Event("change"));
		await rest();
	}
	function menu(text) {
		key("e");
		[...document.querySelectorAll("#menu button")].find((b) =>
			b.textContent.startsWith(text)).click();
		return saved.pop();
	}
	// Of the exported picture: widths and fills by name, labels, hatches.
	function picture() {
		const svg = new DOMParser().parseFromString(menu(
			"Picture, SVG"), "image/svg+xml");
		const of = {};
		for (const r of svg.querySelectorAll("rect:has(title)"))
			of[r.textContent.split(" — ")[0]] = [
				Number(r.getAttribute("width")),
				r.getAttribute("fill")];
		return { of, labels: [...svg.querySelectorAll("text")]
			.slice(1).map((e) => e.textContent),
		// Which ways lines go.  Patterns would print for minutes.
		hatched: [...new Set([...svg.querySelector("path")
			.getAttribute("d").matchAll(/M\S+ (\S+)L\S+ ([^M]+)/g)]
			.map(([, a, b]) => +a > +b ? "rising" : "falling"))],
		patterns: svg.querySelectorAll("pattern").length };
	}
	// Those whose share is another one, by more than a pixel or two.
	const off = ({ of }, shares) => Object.keys(shares).filter((name) =>
		Math.abs((of[name][0] + 1) / (of.all[0] + 1) - shares[name]) >
		0.002);
	const grey = "#e9ebee";

	while ($("first"))
		await pause(5);
	// No waiting for what is saved: time is not real here.
	window.Blob = function (parts) {
		saved.push(parts.join(""));
	};
	is("both sides are named", $("title").textContent,
		"before → after, cycles");
	is("two sums", $("info").textContent,
		"359 → 391 samples (+32, +8.9%) · 9 frames");
	is("how long they ran", $("counts").textContent,
		"3 s → 6 s · 1 frame new, 2 gone");
	is("it is named", await at("a"), "a — 50 → 80 samples (+30, " +
		"+60.0%), 13.93% → 20.46% of all; self 50 → 80 (+30)");
	let seen = picture();
	is("as wide as after", off(seen, { a: 80 / 391, b: 209 / 391,
		new: 100 / 391 }), []);
	is("chance is grey", [seen.of.c[1], seen.of.main[1]], [grey, grey]);
	is("colours have numbers", seen.labels.filter((s) =>
		/[−+±]/.test(s)).sort(), ["a +30", "b +100", "new +100"]);
	is("what is new is hatched, and where more is gone", [seen.hatched
		.sort(), seen.patterns], [["falling", "rising"], 0]);
	is("and named so", (await shown("new"))[0], "newnew");
	await at("main");
	key("p");
	is("and how much is gone", [...$("tip").querySelectorAll("i")].map((e) =>
		e.textContent).filter((s) => s.startsWith("Gone")),
	["Gone below it: 200 samples"]);
	key("p");

	await choose("noise", "4");
	seen = picture();
	is("more noise is more grey", [seen.of.a[1], location.hash],
		[grey, "#s=4"]);
	await choose("noise", "0");
	seen = picture();
	is("none paints all", [seen.of.c[1] === grey, location.hash],
		[false, "#s=0"]);
	await choose("noise", "2");
	is("and back", location.hash, "");

	await choose("by", "total");
	seen = picture();
	is("change of total", [seen.labels.filter((s) => /[−+]/.test(s))
		.sort(), location.hash], [["a +30", "b +102", "new +100"],
		"#c=total"]);
	await choose("by", "self");

	await choose("norm", "time");
	is("per second", location.hash, "#n=time");
	is("its change, and the counts", await at("a"), "a — 50 × 2.00 → " +
		"80 samples (−20, −20.0%), 13.93% → 20.46% of all; " +
		"self 50 → 80 (−20)");
	is("a table of both", await shown("a"), ["a",
		"|Before| × 2.00|After|Change", "Total|50|100|80|−20 (−20.0%)",
		"|13.93%||20.46%|+6.53 points", "Self|50|100|80|−20 (−20.0%)",
		"|13.93%||20.46%|+6.53 points"]);
	await choose("norm", "total");
	is("equal totals", [location.hash, (await at("a")).slice(0, 28)],
		["#n=total", "a — 50 × 1.09 → 80 samples ("]);

	$("larger").click();
	await rest();
	seen = picture();
	const by = 391 / 359, all = 80 + 209 + 100 + 202 * by;
	is("as wide as the larger", off(seen, { a: 80 / all, b: 209 / all,
		gone: 200 * by / all, new: 100 / all }), []);
	is("new rises, gone falls", seen.hatched.sort(),
		["falling", "rising"]);
	is("gone is named", [(await shown("far"))[0], $("lone").textContent],
		["fargone", "new, gone"]);
	is("all of it is linked", location.hash, "#w=larger&n=total");
	key("b");
	await rest();
	is("b goes on", [location.hash, await at("gone")],
		["#n=total", ""]);
	await back();
	await pause(200);
	is("back restores", [location.hash, $("larger").ariaPressed,
		$("norm").value], ["#w=larger&n=total", "true", "total"]);
	is("folded has counts as they are", menu("Folded").trim()
		.split("\n").filter((s) => /[ab] /.test(s)).sort(),
	["x;main;a 50 80", "x;main;b 100 200"]);
	await choose("norm", "none");
	await until(() => $("most").textContent.includes("far"));
	is("what changed most is named", $("most").textContent,
		"Changed most: far: self 200 → 0 samples (−200, gone), 14.1 σ." +
		" Then by self: b +100, new +100. By total, of the own code: " +
		"far −200, b +102, a +30.");
	$("most").firstElementChild.click();
	is("and marked", $("search").value, "=far");
	search("");
	await choose("noise", "15");
	await until(() => $("most").textContent.includes("chance"));
	is("or that all of it may be chance", $("most").textContent,
		"No change is larger than chance explains; most: far: self " +
		"200 → 0 samples (−200, gone), 14.1 σ.");
	is("the end", 1, 1);
