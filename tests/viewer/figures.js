/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures that figures.pl has counted in folded text, beside those of the
 * page: the heading, its table's rows, and what searches find.
 */
	await until(() => !$("first"));
	const { all, functions, rows } = wanted, saved = [];
	const sum = all.at(-1), share = (n) => (100 * n / sum).toFixed(2) + "%";
	URL.createObjectURL = () => "about:blank";
	HTMLAnchorElement.prototype.click = () => {};
	window.Blob = function (parts) {
		saved.push(parts.join(""));
	};
	is("the heading's sums", /([\d,]+ → )?([\d,]+) samples/.exec(
		$("info").textContent).slice(1).filter((s) => s).map((s) =>
		+s.replace(/\D/g, "")), all);
	if (all[1])
		is("frames of one side", $("counts").textContent.match(/\d[\d,]*/g)
			.map((s) => +s.replace(/,/g, "")),
		wanted.lone.filter((n, i) => n || i < 2));
	key("t");
	await pause(50);
	$("csv").click();
	const seen = new Map(saved.pop().trim().split("\n").slice(1).map((line) => {
		const [, name, numbers] = /^"(.*)",([\d.,]+)$/.exec(line);
		return [name.replaceAll('""', '"'), numbers];
	}));
	is("as many functions", seen.size, functions.size);
	is(functions.size + " functions have their self and total",
		[...functions].filter(([name, n]) => seen.get(name) !== n + "")
			.map(([name]) => [name, seen.get(name)]), []);
	// Of functions whose names are shown as they are.
	const cells = [...$("list").querySelectorAll("[id]")].map((row) =>
		[row.lastChild.title, ...[...row.children].slice(0, -1).map((e) =>
			e.textContent)]).filter(([name]) => functions.has(name));
	const signed = (n) => n ? (n < 0 ? "−" : "+") + Math.abs(n) : "±0";
	is("rows of the table", cells.filter(([name, ...shown]) => {
		const n = functions.get(name), [self, total] = n.slice(-2);
		const changes = n[2] === undefined ? [] : [signed(n[2] - n[0]),
			signed(n[3] - n[1])];
		return shown + "" !== [self ? share(self) : "",
			total ? share(total) : "", ...changes].map((s) =>
			s === "±0" ? "" : s) + "";
	}), []);
	is("there are some", cells.length > 4, true);
	for (const name of rows) {
		$("search").value = "=" + name;
		$("search").dispatchEvent(new Event("input"));
		await pause(20);
		is("a search of " + name, $("found").textContent.split(" ")[0],
			share(functions.get(name).at(-1)));
	}
	is("the end", 1, 1);
