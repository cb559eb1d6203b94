/* SPDX-License-Identifier: Apache-2.0 */
/* The index of flame-batch's site: it sorts and it filters. */
	const names = () => [...document.querySelectorAll("tbody tr")]
		.filter(row => !row.hidden)
		.map(row => row.cells[0].textContent.trim());
	const sort = (text) => [...document.querySelectorAll("th button")]
		.find(button => button.textContent === text).click();
	const type = (text) => {
		const input = document.querySelector("#filter");
		input.value = text;
		input.dispatchEvent(new Event("input"));
	};
	is("stages are in the order of their numbers", names(),
		["x stage 2", "x stage 10", "x stage 11"]);
	sort("samples");
	is("a number sorts the largest first", names(),
		["x stage 10", "x stage 2", "x stage 11"]);
	sort("samples");
	is("then the smallest", names(),
		["x stage 11", "x stage 2", "x stage 10"]);
	sort("Page");
	is("a text sorts as people count", names(),
		["x stage 2", "x stage 10", "x stage 11"]);
	type("light|HEAVY");
	is("a filter looks at all cells", names(),
		["x stage 10", "x stage 11"]);
	is("and says how many", document.querySelector("output").textContent,
		"2 of 3");
	type("(");
	is("half an expression changes nothing", names().length, 2);
	type("");
	is("no filter, all rows", names().length, 3);
	is("a picture a row", document.querySelectorAll("td svg path").length,
		3);
	is("the end", 1, 1);
