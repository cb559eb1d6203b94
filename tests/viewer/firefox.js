/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a page in Firefox: it draws, searches and zooms. */
	await until(() => !$("first"));
	const canvas = $("canvas"), c = canvas.getContext("2d");
	// Colours of a row's pixels, from left to right; without paper.
	const colors = (level) => new Set(Array.from({ length: 50 }, (v, k) =>
		c.getImageData((k + 0.5) / 50 * canvas.width, canvas.height -
			(level * 20 + 3) * devicePixelRatio, 1, 1).data.join())).size;
	is("the script came to its end", $("first"), null);
	is("frames are drawn in several colours", colors(1) > 1, true);
	hover(0.25, 1);
	is("a frame is described", $("status").textContent,
		"main — 14 samples (93.33% of all)");
	$("search").value = "c";
	$("search").dispatchEvent(new Event("input"));
	await rest();
	is("it searches", $("found").textContent, "40.00% · 1");
	$("search").value = "";
	$("search").dispatchEvent(new Event("input"));
	const box = canvas.getBoundingClientRect();
	canvas.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1,
		clientX: box.left + box.width / 4, clientY: box.bottom - 30 }));
	await rest();
	is("it zooms", /z=.*main/.test(location.hash), true);
	// However long the zoom is under way, on a busy machine.
	await until(() => {
		hover(0.97, 1);
		return $("status").textContent.startsWith("main");
	});
	is("to the whole width", $("status").textContent.slice(0, 6), "main —");
	for (const [k, id] of [["2", "icicle"], ["3", "tree"], ["4", "callers"],
		["5", "sandwich"]]) {
		key(k);
		await rest();
		is(id + " opens", $(id).ariaPressed ??
			$(id).getAttribute("aria-pressed"), "true");
	}
	is("rows of the tree were there", $("rows").children.length > 0, true);
	is("the end", 1, 1);
