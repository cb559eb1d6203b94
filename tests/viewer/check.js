/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in the page that views makes: acts, and says what it sees. */
	const saved = [];
	URL.createObjectURL = (blob) => {
		saved.push(blob);
		return "about:blank";
	};
	let link = "";
	HTMLAnchorElement.prototype.click = function () {
		link = this.href;
	};

	// Searches for a name and returns what the page shows of that frame.
	async function at(name) {
		search("=" + name);
		await pause(20);
		key("n");
		const text = $("live").textContent;
		search("");
		return text;
	}
	function search(text) {
		$("search").value = text;
		$("search").dispatchEvent(new Event("input"));
	}
	const table = () => [...document.querySelectorAll("#list [id] ")]
		.map((row) => [...row.children].map((cell, k) => k < 2 ?
			cell.title : cell.textContent).join(" "));
	async function menu(text) {
		key("e");
		[...document.querySelectorAll("#menu button")].find((b) =>
			b.textContent.startsWith(text)).click();
		for (let i = 0; !saved.length && i < 200; i++)
			await pause(20);
		return saved.pop().text();
	}
	const clear = () => {
		for (let b; (b = $("steps").querySelector("button"));)
			b.click();
	};

	while ($("first"))
		await pause(5);
	is("the sum", $("info").textContent, "15 samples · 10 frames");
	is("a frame is described", await at("c"),
		"c, 40.00% total, 26.67% self, depth 2, child 2 of 2");

	// Outlines that cross the middle of a row.
	const outlines = (level) => {
		const c = $("hover"), y = c.height - level * 20 - 10;
		const { data } = c.getContext("2d").getImageData(0, y, c.width,
			1);
		return data.filter((v, i) => i % 4 === 3 && v &&
			!data[i - 4]).length;
	};
	hover(0.1, 2);
	is("a frame is named below at once", [tip(), $("status").textContent],
		["", "a — 8 samples (53.33% of all)"]);
	await pause(60);
	hover(0.2, 2);
	await pause(60);
	is("and in full when the pointer has been there", tip(), "aTotal" +
		"8 samples53.33% of all, 57.14% of parentSelf0 samples" +
		"0.00% of all");
	hover(0.6, 1);
	is("then at once", tip().slice(0, 4), "main");
	key("p");
	hover(0.1, 2);
	is("p keeps it", tip().slice(0, 4), "main");
	key("Escape");
	is("Esc lets it go", tip(), "");
	hover(0.535, 2);
	["+", "+", "+"].forEach(key);
	hover(0.53, 2);
	is("+ is closer to where the pointer is", $("status").textContent
		.slice(0, 3), "a —");
	["-", "-", "-", "-"].forEach(key);
	await at("b");
	is("all frames of a function are outlined", [1, 2, 3, 4]
		.map(outlines), [0, 2, 4, 2]);
	key("Escape");
	is("until it is left", $("hover").hidden, true);

	key("t");
	is("the table has the keys", document.activeElement.id, "list");
	is("the table counts recursion once", table(), ["10 11 b",
		"4 6 c", "1 1 <i>x<i>", "0 14 main", "0 8 a", "0 1 other"]);
	search("=a");
	search("A".toLowerCase());
	is("a search filters it", table(), ["0 14 main", "0 8 a"]);
	search("");
	const sift = (text) => {
		$("sift").value = text;
		$("sift").dispatchEvent(new Event("input"));
	};
	sift("A");
	is("so does the list's own", table(), ["0 14 main", "0 8 a"]);
	$("sift").dispatchEvent(new KeyboardEvent("keydown",
		{ key: "w", bubbles: true }));
	is("letters in it are not keys", location.hash, "");
	key("Escape");
	is("Esc clears it", [$("sift").value, table().length], ["", 6]);
	const click = (k, type, more) => document.querySelectorAll(
		"#list [id]")[k].dispatchEvent(new MouseEvent(type,
		{ bubbles: true, detail: 1, ...more }));
	const selected = () => [...document.querySelectorAll(
		"#list [aria-selected=true]")].map((e) => e.id);
	click(1, "click");
	is("a click filters", [table(), $("steps").firstChild.textContent,
		selected()], [["4 6 c", "2 2 b", "0 6 main"], "Onlyc✕",
		["line0"]]);
	click(0, "click");
	is("once more and it does not", [table().length, location.hash,
		selected()], [6, "", []]);
	click(1, "click", { altKey: true });
	is("with Alt it drops", [table()[0], location.hash],
		["8 9 b", "#drop=c"]);
	clear();
	click(4, "click");
	click(0, "dblclick", { detail: 2 });
	is("a double click is of the row that was there", location.hash,
		"#v=sandwich&m=a");
	key("1");
	is("CSV", (await menu("Table")).split("\n").slice(0, 3),
		['"functions","self","total"', '"b",10,11', '"c",4,6']);
	key("t");

	key("4");
	is("callers are under what they call", await at("b"),
		"b, 6.67% total, 0.00% self, depth 2, child 1 of 1");
	is("and go on to the root", await at("main"),
		"main, 20.00% total, 20.00% self, depth 4, child 1 of 1");
	key("1");
	await at("c");
	key("s");
	is("a sandwich is linked", location.hash, "#v=sandwich&m=c");
	is("callers in it", await at("main"),
		"main, 40.00% total, 40.00% self, depth 1, child 1 of 1");
	is("callees in it", await at("b"),
		"b, 13.33% total, 13.33% self, depth 1, child 1 of 1");
	key("1");
	await at("a");
	key("s");
	is("recursion in it counts once", await at("main"),
		"main, 53.33% total, 53.33% self, depth 1, child 1 of 1");
	key("1");

	const lines = async () => (await menu("Folded")).trim().split("\n");
	is("folded", (await lines()).sort(), ["main;a;a;b 3", "main;a;b 5",
		"main;c 4", "main;c;b 2", "other;b;<i>x<i> 1"]);
	await at("a");
	key("f");
	is("focus", await lines(), ["a;a;b 3", "a;b 5"]);
	is("what is left is shown", $("steps").lastChild.textContent,
		"8 samples, 53.33% of the profile");
	key("R");
	is("recursion folded", await lines(), ["a;b 8"]);
	clear();
	await at("a");
	key("h");
	is("hide", await lines(), ["main;b 8", "main;c 4", "main;c;b 2",
		"other;b;<i>x<i> 1"]);
	is("hide is linked", location.hash, "#hide=a");
	clear();
	await at("c");
	key("x");
	is("drop", await lines(), ["main;a;a;b 3", "main;a;b 5",
		"other;b;<i>x<i> 1"]);
	clear();
	await at("a");
	key("o");
	is("fold", await lines(), ["main;a 8", "main;c 4", "main;c;b 2",
		"other;b;<i>x<i> 1"]);
	await back();
	await pause(200);
	is("back removes it", $("steps").hidden, true);
	search("c");
	$("only").click();
	is("only what matches", await lines(), ["main;c 4", "main;c;b 2"]);
	clear();
	search("c");
	$("without").click();
	is("all but what matches", await lines(), ["main;a;a;b 3", "main;a;b 5",
		"other;b;<i>x<i> 1"]);
	clear();
	const svg = await menu("Picture, SVG");
	const picture = new DOMParser().parseFromString(svg, "image/svg+xml");
	is("a picture is well formed", [picture.documentElement.tagName,
		picture.querySelectorAll("title").length], ["svg", 11]);
	is("PNG", (await menu("Picture, PNG")).slice(1, 4), "PNG");
	is("what is shallow is at the top, as high as its rows", [
		$("canvas").clientHeight, $("canvas").getBoundingClientRect().top -
		$("main").getBoundingClientRect().top], [100, 0]);
	key("?");
	is("keys are listed", $("menu").textContent.includes("Drop stacks"),
		true);
	$("menu").hidePopover();

	dispatchEvent(new Event("beforeprint"));
	is("on paper there is a legend", [$("paper").querySelectorAll("title")
		.length, $("paper").querySelectorAll("rect").length,
		$("paper").querySelector("#paper > svg > text:last-child")
			.textContent],
	[11, 13, "(none)"]);
	is("and all rows, as the screen has them", [
		$("paper").querySelector("svg svg").getAttribute("height"),
		/ of \d+ rows/.test($("paper").textContent)],
	["100", false]);
	dispatchEvent(new Event("afterprint"));
	is("only there", $("paper").children.length, 0);
	key("3");
	dispatchEvent(new Event("beforeprint"));
	is("of the tree the graph", $("paper").querySelectorAll("title")
		.length, 11);
	dispatchEvent(new Event("afterprint"));
	key("1");
	key("3");
	await pause(50);
	is("the tree has no overview", $("mini").hidden, true);
	key("1");
	await pause(50);
	is("nor a graph that is in sight", $("mini").hidden, true);
	key("v");
	await pause(50);
	is("but by key", $("mini").hidden, false);

	const small = [...document.querySelectorAll("button")].filter((b) => {
		const { width, height } = b.getBoundingClientRect();
		return width && (width < 24 || height < 24);
	});
	is("what is clicked is 24 pixels at least", small.map((b) => b.id),
		[]);
	let finger = 1;
	const touch = (type, x, level, id = finger) => {
		const box = $("canvas").getBoundingClientRect();
		$("canvas").dispatchEvent(new PointerEvent(type, {
			bubbles: true, pointerId: id, pointerType: "touch",
			clientX: box.left + x * box.width,
			clientY: box.bottom - level * 20 - 10 }));
	};
	const tap = async (x, level, ms = 10) => {
		touch("pointerdown", x, level);
		await pause(ms);
		touch("pointerup", x, level);
		touch("click", x, level);
		await rest();
	};
	await tap(0.1, 2);
	is("a tap shows", [tip().slice(0, 6), $("crumbs").textContent],
		["aTotal", "all"]);
	await tap(0.1, 2);
	is("a second one zooms", [tip(), $("crumbs").textContent],
		["", "allmaina"]);
	const under = (x) => {
		hover(x, 2);
		return $("status").textContent[0];
	};
	key("0");
	await rest();
	await tap(0.1, 2, 600);
	is("a long one opens the menu", [$("menu").matches(":popover-open"),
		$("crumbs").textContent], [true, "all"]);
	$("menu").hidePopover();
	touch("pointerdown", 0.4, 2, 1);
	touch("pointerdown", 0.6, 2, 2);
	touch("pointermove", 0.9, 2, 2);
	touch("pointerup", 0.9, 2, 2);
	touch("pointerup", 0.4, 2, 1);
	is("two fingers bring it nearer", [0.1, 0.4, 0.9].map(under),
		["a", "a", "c"]);
	is("all wide", under(0.99), "c");
	Element.prototype.setPointerCapture = () => {};
	touch("pointerdown", 0.1, 2);
	touch("pointermove", 0.9, 2);
	touch("pointerup", 0.9, 2);
	is("and one moves it", under(0.9), "a");
	["-", "-", "-", "-", "-", "-"].forEach(key);
	key("Escape");

	await at("<i>x<i>");
	key("u");
	is("its source is a link", link, "https://host/%3Ci%3Ex%3Ci%3E?l=");
	$("search").value = "=c";
	search("=c");
	$("search").focus();
	$("search").dispatchEvent(new KeyboardEvent("keydown", {
		key: "Enter", altKey: true, bubbles: true }));
	await rest();
	is("Alt Enter zooms to the match", $("crumbs").textContent, "allmainc");
	key("Escape");
	is("Esc clears the search first", [$("search").value,
		$("crumbs").textContent], ["", "allmainc"]);
	key("t");
	key("Escape");
	is("closes the table next", [$("pane").hidden,
		$("crumbs").textContent], [true, "allmainc"]);
	key("Escape");
	await rest();
	is("and zooms out then", $("crumbs").textContent, "allmain");
	key("0");
	await rest();

	key("ArrowUp");
	key("ArrowUp");
	key("ArrowRight");
	is("arrows walk", $("live").textContent,
		"c, 40.00% total, 26.67% self, depth 2, child 2 of 2");
	is("and are described as a tree", [$("canvas").querySelectorAll(
		"[role=treeitem]").length, $("item" + $("canvas")
		.getAttribute("aria-activedescendant").slice(4))
		.getAttribute("aria-posinset")], [4, "2"]);
	key("Enter");
	await rest();
	is("Enter zooms", $("crumbs").textContent, "allmainc");
	key("[");
	await rest();
	is("[ is back", $("crumbs").textContent, "all");
	key("]");
	await rest();
	is("] is forward", $("crumbs").textContent, "allmainc");
	key("Backspace");
	await rest();
	is("and so is Backspace back", $("crumbs").textContent, "all");
	key("i");
	is("i is the icicle", location.hash, "#v=icicle");
	key("i");

	// Low 53 bits of FNV-1a of the names, then of these hashes.
	const fnv = (h, n) => BigInt.asUintN(53, (h ^ BigInt(n)) *
		0x100000001b3n);
	const pathHash = (...names) => Number(names.map((name) =>
		[...new TextEncoder().encode(name)].reduce(fnv,
			BigInt.asUintN(53, 0xcbf29ce484222325n)))
		.reduce(fnv, 0n)).toString(36);
	const param = (name) => new URLSearchParams(location.hash.slice(1))
		.get(name);
	const open = async (hash) => {
		location.hash = hash;
		await rest();
		return $("crumbs").textContent;
	};
	await at("<i>x<i>");
	key("Enter");
	is("a zoom is linked by its path and name", param("z"),
		pathHash("other", "b", "<i>x<i>") + ".<i>x<i>");
	is("a link zooms", await open("z=" + pathHash("main", "a", "a") +
		".none"), "allmainaa");
	is("by name, where there is no such path", await open("z=1.b"),
		"allmainab");
	is("or it does not", await open("z=1.none"), "all");
	is("crumbs show who calls whom", $("crumbs").className, "");
	is("callers are linked", await open("v=callers&z=" +
		pathHash("b", "a") + "."), "allba");
	is("crumbs of callers go back", $("crumbs").className, "back");
	is("and both sides of a sandwich", [await open("v=sandwich&m=a&z=1.b"),
		await open("v=sandwich&m=a&z=1.main")], ["ab", "amain"]);
	await open("v=icicle&q=b&o=weight&hide=c&z=" +
		pathHash("other", "b") + ".b");
	is("all that a link says is there again", [
		$("icicle").getAttribute("aria-pressed"), $("search").value,
		$("steps").firstChild.textContent, $("crumbs").textContent],
		["true", "b", "Hiddenc✕", "allotherb"]);
	await open("h=c");
	is("h marks, as q does", $("search").value, "c");
	await open("");
	const length = history.length;
	search("m");
	search("ma");
	is("what is typed waits", location.hash, "");
	await rest();
	is("and replaces what was there", [location.hash,
		history.length], ["#q=ma", length]);
	search("");
	await at("c");
	key("Enter");
	is("a zoom is pushed at once", [param("z").slice(-2),
		history.length], [".c", length + 1]);
	await back();
	await rest();

	const crumbs = () => [...$("crumbs").children];
	await at("c");
	key("Enter");
	await rest();
	is("crumbs are the way to it", crumbs().map((e) => e.textContent),
		["all", "main", "c"]);
	crumbs()[1].click();
	await rest();
	is("and lead back", crumbs().map((e) => e.textContent),
		["all", "main"]);
	key("0");
	await rest();
	is("siblings are by name", await at("a"),
		"a, 53.33% total, 0.00% self, depth 2, child 1 of 2");
	key("w");
	is("by weight", [location.hash, await at("b")], ["#o=weight",
		"b, 33.33% total, 33.33% self, depth 3, child 1 of 2"]);
	is("and linked", (await lines())[0], "main;a;b 5");
	key("w");

	key("t");
	const tab = (name) => [...$("tabs").children].find((b) =>
		b.textContent === name).click();
	tab("Kinds");
	is("sums of kinds", table(), ["15 15 (none)"]);
	click(0, "click");
	click(0, "dblclick", { detail: 2 });
	is("a sandwich of a group", decodeURIComponent(location.hash),
		"#v=sandwich&m=type:(none)");
	key("1");
	tab("Functions");
	key("t");
	key("d");
	const dark = document.documentElement.dataset.theme;
	await rest();
	is("the theme is linked", location.hash, "#d=" + dark);
	key("d");
	await rest();
	await open("d=dark");
	is("and by a link", document.documentElement.dataset.theme, "dark");
	is("nothing was fetched", performance.getEntriesByType("resource")
		.map((e) => e.name), []);
	is("the end", 1, 1);
