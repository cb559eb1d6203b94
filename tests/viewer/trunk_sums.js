/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a page of a recording: folding its trunk changes no number of it. */
	// Reading a Blob is asynchronous: its text is copied here instead.
	const saved = [];
	URL.createObjectURL = () => "about:blank";
	HTMLAnchorElement.prototype.click = () => {};
	const exported = (text) => {
		key("e");
		[...document.querySelectorAll("#menu button")].find((b) =>
			b.textContent.startsWith(text)).click();
		return saved.pop().trim().split("\n").sort();
	};
	const sum = (lines) => lines.reduce((n, line) =>
		n + +line.split(" ").pop(), 0);
	await until(() => !$("first"));
	window.Blob = function (parts) {
		saved.push(parts.join(""));
	};
	for (const view of ["1", "4", "5"]) {
		key(view);
		await rest();
		const folded = $("key").textContent.match(/(\d+) folded/);
		const lines = exported("Folded"), table = exported("Table");
		key("F");
		await rest();
		is("view " + view + ": there are runs, and F opens them", [
			folded?.[1] > 0, /Fold runs/.test($("key").textContent)],
			[true, true]);
		const open = exported("Folded");
		is("stacks and their sum stay", [sum(open) === sum(lines),
			open.length, open], [true, lines.length, lines]);
		is("so do self and total of all functions",
			exported("Table"), table);
		key("F");
		await rest();
	}
	is("the end", 1, 1);
