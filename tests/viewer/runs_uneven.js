/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs before and five after: sums as they are, the mean of a run, and a
   picture of the totals that the findings are of. */
	while ($("first"))
		await pause(5);
	is("sums as they are, and a run's mean", $("info").textContent,
		"6,000 → 15,545 samples in 2 and 5 runs; a run 3,000 → " +
		"3,109 samples (+109, +3.6%) · 4 frames");
	is("it opens by run, coloured by totals", [$("norm").value,
		$("by").value], ["runs", "total"]);
	$("table").click();
	await until(() => $("list").querySelector("[role=gridcell]"));
	const rows = [...$("list").querySelectorAll("[id]")].map((row) =>
		[row.children[3], row.lastChild].map((e) => e.textContent));
	is("the table has the farthest change first", rows, [["+545", "main"],
		["+523", "parse"], ["+523", "read"], ["+23", "sort"]]);
	is("the end", 1, 1);
