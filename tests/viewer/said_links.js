/* SPDX-License-Identifier: Apache-2.0 */
/* A share of the line of words is that of the search that it leads to. */
	await until(() => !$("first") && $("said").querySelector("button"));
	const links = [...$("said").querySelectorAll("button")];
	// "44% of tasks' cpu in " before its link.
	const share = (e) => /(\d+)%[^%]*$/.exec(e.previousSibling.data)[1];
	for (const e of links) {
		// Its own samples are a part of what is marked.
		if (e.textContent.endsWith(" itself"))
			continue;
		e.click();
		await rest();
		is("the share of " + e.textContent,
			Math.round(parseFloat($("found").textContent)), +share(e));
		is("its base is in the heading", /\d of [\d,]+ samples/.test(
			$("info").textContent), !$("steps").hidden);
		is("the line stays", $("said").hidden, false);
	}
	is("stacks beside tasks are looked for among all", $("steps").hidden, true);
	is("the end", 1, 1);
