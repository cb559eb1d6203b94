/* SPDX-License-Identifier: Apache-2.0 */
/* A hundred rows on paper: those that are on the screen, over its width. */
	await until(() => !$("first"));
	await rest();
	const printed = () => {
		dispatchEvent(new Event("beforeprint"));
		const [head] = $("paper").querySelectorAll("text");
		const inner = $("paper").querySelector("svg svg");
		const box = inner.getAttribute("viewBox").split(" ").map(Number);
		dispatchEvent(new Event("afterprint"));
		return [box, /· (\d+) of (\d+) rows$/.exec(
			head.textContent).slice(1).map(Number)];
	};
	const { clientHeight: h, clientWidth: w } = $("main");
	const rows = (h + $("space").clientHeight) / 20;
	is("the rows are more than the screen has", rows * 20 > h + 200, true);
	is("the root and what is above it", printed(), [[0, rows * 20 - h, w, h],
		[Math.round(h / 20), rows]]);
	$("main").scrollTop = 0;
	$("main").dispatchEvent(new Event("scroll"));
	await rest();
	is("and the top", printed(), [[0, 0, w, h],
		[Math.round(h / 20), rows]]);
	// From the search by Escape to what it found, and on to other views.
	$("search").focus();
	$("search").value = "=f60";
	$("search").dispatchEvent(new Event("input"));
	await rest();
	const press = (k) => document.activeElement.dispatchEvent(
		new KeyboardEvent("keydown", { key: k, bubbles: true }));
	press("Enter");
	press("Escape");
	is("Escape goes to the graph", [document.activeElement.id,
		$("search").value], ["canvas", "=f60"]);
	key("3");
	await rest();
	const box = $("rows").getBoundingClientRect();
	const at = $("row" + $("rows").getAttribute("aria-activedescendant")
		?.slice(3))?.getBoundingClientRect();
	is("the tree has it in sight", [$("rows").scrollTop > 0,
		at?.top >= box.top && at?.bottom <= box.bottom,
		$("status").textContent.split(" ")[0]], [true, true, "f60"]);
	is("and does not say how many rows are folded", [...$("key").children]
		.filter((e) => !e.hidden && /folded/.test(e.textContent)).length,
	0);
	key("1");
	await rest();
	$("search").focus();
	press("Enter");
	press("Escape");
	key("s");
	await rest();
	is("the sandwich is of it", new URLSearchParams(location.hash.slice(1))
		.get("m"), "f60");
	is("the end", 1, 1);
