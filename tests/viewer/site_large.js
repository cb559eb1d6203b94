/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a site with 250 groups, whose rows are in a file beside it. */
	const names = () => [...document.querySelectorAll("tbody tr")]
		.map(row => row.cells[0].textContent.trim());
	const sort = (text) => [...document.querySelectorAll("th button")]
		.find(button => button.textContent === text).click();
	const type = (text) => {
		const input = document.querySelector("#filter");
		input.value = text;
		input.dispatchEvent(new Event("input"));
	};
	is("the first row", names()[0], "x stage 1");
	is("some rows, not all", names().length >= 100 &&
		names().length < 250, true);
	sort("samples");
	is("all rows are sorted", names()[0], "x stage 250");
	type("f17 ");
	is("and filtered", names(), ["x stage 17"]);
	is("of all", document.querySelector("output").textContent,
		"1 of 250");
	is("the end", 1, 1);
