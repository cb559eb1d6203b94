/* SPDX-License-Identifier: Apache-2.0 */
/* What flame-diff --runs found, above the picture. */
	while ($("first"))
		await pause(5);
	await until(() => $("most").querySelector("tr"));
	const rows = [...$("most").querySelectorAll("tr")].slice(1);
	is("a row for each finding", rows.length, 1);
	const cells = [...rows[0].cells].map((cell) => cell.textContent);
	is("its frame, sums and change", cells.slice(0, 4),
		["parse", "1003.0", "1106.0", "+10.3%"]);
	is("its interval is said", /^\+[0-9.]+% to \+[0-9.]+%$/
		.test(cells[4]), true);
	is("a bar for each run", rows[0].querySelectorAll("rect").length, 10);
	is("and what they are", cells[5], "Before: 1001.0, 1002.0, 1003.0, " +
		"1004.0, 1005.0. After: 1102.0, 1104.0, 1106.0, 1108.0, 1110.0");
	rows[0].querySelector("button").click();
	await rest();
	is("it is marked", decodeURIComponent(location.hash), "#q==parse");
	is("nothing runs out of it", $("most").scrollWidth <=
		$("most").clientWidth, true);
	is("the end", 1, 1);
