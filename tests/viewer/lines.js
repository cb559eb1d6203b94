/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs in a page of two functions with lines, as Java and Python spell them,
 * and one without: the table by line has each line of one function, or of all.
 */
	const rows = () => [...document.querySelectorAll("#list [id]")].map(
		(row) => [...row.children].map((cell, k) => k < 2 ?
				cell.title : cell.textContent).join(" "));
	const button = (text) => [...document.querySelectorAll("#tabs button")]
		.find((b) => b.textContent.startsWith(text));
	const head = (text) => [...document.querySelectorAll(
		"#list [role=columnheader]")].find((b) => b.textContent === text);
	const choose = async (name) => {
		$("search").value = "=" + name;
		$("search").dispatchEvent(new Event("input"));
		key("n");
		$("search").value = "";
		$("search").dispatchEvent(new Event("input"));
		await rest();
	};
	await until(() => !$("first"));
	await choose("a/B.run:9");
	key("L");
	is("L has the lines of the chosen function, joined over how they ran",
		rows(), ["6 9 9 B.run:9  a", "0 14 12 B.run:12  a"]);
	is("whose name is on the tab", button("Lines").textContent,
		"Lines of B.run");
	head("Line").click();
	is("by line downwards", rows().map((s) => s.split(" ")[2]), ["12", "9"]);
	head("Line").click();
	is("and upwards", rows().map((s) => s.split(" ")[2]), ["9", "12"]);
	button("Lines").click();
	is("the tab has those of all functions", [rows().length, button("Lines")
		.textContent, rows()[0]], [5, "Lines", "6 9 9 B.run:9  a"]);
	await choose("f (x.py:31)");
	key("L");
	is("Python's are of one file", rows(), ["3 3 31 f", "1 4 7 f"]);
	document.querySelector("#list [id]").dispatchEvent(new MouseEvent(
		"click", { bubbles: true, detail: 1 }));
	await rest();
	is("a line leaves its stacks", [location.hash, $("steps").textContent],
		["#only=%3Df%20(x.py%3A31)", "Onlyf✕3 samples, 14.29% of the profile"]);
	$("steps").querySelector("button").click();
	await rest();
	key("t");
	await choose("plain");
	key("L");
	is("without a line it is said", [$("pane").hidden, /No line of it/.test(
		$("status").textContent)], [true, true]);
	is("the end", 1, 1);
