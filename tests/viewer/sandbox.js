/* SPDX-License-Identifier: Apache-2.0 */
/* As check.js, in a frame that has neither a history nor a memory. */
	const throws = (f) => {
		try {
			f();
		} catch (e) {
			return true;
		}
		return false;
	};
	const way = () => $("crumbs").textContent;
	async function press(...list) {
		for (const k of list) {
			key(k);
			await rest();
		}
	}
	while ($("first"))
		await pause(5);
	is("a sandbox throws", [() => localStorage.length,
		() => history.pushState(1, "", "#z")].map(throws),
		[true, true]);
	is("the page is there all the same", $("info").textContent,
		"15 samples · 10 frames");
	await press("ArrowUp", "Enter");
	is("zooms", way(), "allmain");
	await press("h");
	is("filters", $("steps").firstChild.textContent, "Hiddenmain✕");
	await press("ArrowUp", "Enter");
	is("zooms again", way(), "alla");
	await press("Backspace");
	is("and goes back", way(), "all");
	await press("[");
	is("step by step", [way(), $("steps").hidden], ["allmain", true]);
	await press("[");
	is("to the begin", way(), "all");
	await press("d", "5", "4", "3", "t");
	is("has its themes and views", [$("rows").hidden, $("pane").hidden],
		[false, false]);
	is("the end", 1, 1);
