/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a page as narrow as a phone: all of its header can be reached. */
	while ($("first"))
		await pause(5);
	const outside = [...document.querySelectorAll("h1, header button, " +
		"header input, #bar button, #bar label, #counts, #events button"
	)].filter((e) => {
		const { left, right, width } = e.getBoundingClientRect();
		return !e.closest("[hidden]") &&
			(!width || left < 0 || right > innerWidth);
	});
	is("all controls are in sight in " + innerWidth + " pixels",
		outside.map((e) => e.id), []);
	is("nothing is to be scrolled sideways", [document.documentElement,
		...document.querySelectorAll("header, #bar, #events")].some((e) =>
		e.scrollWidth > e.clientWidth), false);
	is("the graph has most of the height",
		$("main").clientHeight > innerHeight / 2, true);
	key("3");
	await rest();
	const name = document.querySelector("#rows [aria-level] > :last-child")
		.getBoundingClientRect();
	is("rows of the tree have names in sight", [name.right <= innerWidth,
		name.width > 120], [true, true]);
	is("the end", 1, 1);
