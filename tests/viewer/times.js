/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in the page that times makes: chooses spans, threads, and looks. */
	const saved = [];
	URL.createObjectURL = () => "about:blank";
	HTMLAnchorElement.prototype.click = () => {};
	Element.prototype.setPointerCapture = () => {};

	// Shares of the width of the heat map.
	function drag(from, to, more) {
		const box = $("heat").getBoundingClientRect();
		const at = (type, x) => $("heat").dispatchEvent(
			new PointerEvent(type, { bubbles: true, pointerId: 1,
				clientX: box.left + x * (box.width - 12),
				clientY: box.top + 2, ...more }));
		at("pointerdown", from);
		at("pointermove", to);
		at("pointerup", to);
	}
	function lines() {
		key("e");
		[...document.querySelectorAll("#menu button")].find((b) =>
			b.textContent.startsWith("Folded")).click();
		return saved.pop().trim().split("\n").sort();
	}
	const sum = (list) => list.reduce((n, line) =>
		n + Number(line.split(" ")[1]), 0);
	const tab = (name) => [...$("tabs").children].find((b) =>
		b.textContent === name).click();
	const rows = () => [...document.querySelectorAll("#list [id]")];
	const table = () => rows().map((row) => row.children[0].title + " " +
		row.lastChild.textContent);
	const click = (k, more) => rows()[k].dispatchEvent(new MouseEvent(
		"click", { bubbles: true, detail: 1, ...more }));
	const clear = () => {
		for (let b; (b = $("steps").querySelector("button"));)
			b.click();
	};
	// What the tooltips of all cells of the heat map say, by the name that
	// they have: cells begin at `left` and are `tall`.
	function cellSums(left, tall) {
		const box = $("heat").getBoundingClientRect(), sums = {};
		const seen = new Set();
		for (let y = tall / 2; y < box.height - 17; y += tall)
			for (let x = left + 4; x + 4 <= box.width; x += 8) {
				$("heat").dispatchEvent(new PointerEvent(
					"pointermove", { bubbles: true,
					clientX: box.left + x,
					clientY: box.top + y }));
				// A cell may be larger than a step.
				const tip = $("tip").textContent;
				if (seen.has(tip))
					continue;
				seen.add(tip);
				const [, name, n] = /^(?:(.*): )?(\d+) sample/
					.exec($("tip").children[1].textContent);
				sums[name ?? ""] = (sums[name ?? ""] ?? 0) + +n;
			}
		$("tip").hidden = true;
		return sums;
	}
	const chips = () => [...$("steps").querySelectorAll("button")]
		.map((b) => b.textContent);
	const spans = () => decodeURIComponent(location.hash).split("&")
		.map((s) => s.replace(/.*=/, "").split("-").map(Number));

	while ($("first"))
		await pause(5);
	// No waiting for what is saved: time is not real here.
	window.Blob = function (parts) {
		saved.push(parts.join(""));
	};
	const whole = ["main;a 100", "main;b 80", "main;gc 20"];
	is("the heat map is there", $("time").hidden, false);
	is("all at first", lines(), whole);

	drag(0, 0.49);
	is("a span has what was then", (lines()).map((s) =>
		s.replace(/9\d$/, "9x")), ["main;a 9x"]);
	is("it is linked", /^#t=0-\d+(\.\d+)?$/.test(location.hash), true);
	is("it has a chip", chips().length, 1);
	drag(0.6, 0.99);
	is("another replaces it", (lines()).map((s) =>
		s.split(" ")[0]), ["main;b", "main;gc"]);
	await back();
	await until(() => lines().length === 1);
	is("back undoes", lines().length, 1);
	const [[a0, b0]] = spans();
	key(".");
	await rest();
	const [[a1, b1]] = spans();
	is("a key moves it", a1 > a0 && Math.abs(b1 - b0 - a1 + a0) < 0.01,
		true);
	key(">");
	await rest();
	is("a key makes it longer", spans()[0][0] === a1 &&
		spans()[0][1] > b1, true);
	is("it is heard", /^[\d.]+ s – .* samples$/.test(
		$("live").textContent), true);
	key("Escape");
	is("Escape removes it", [location.hash, (lines()).length],
		["", 3]);

	drag(0, 0.49);
	drag(0.51, 0.99, { shiftKey: true });
	is("two spans are compared", [$("bar").hidden, chips().map((s) =>
		s.slice(0, 5))], [false, ["Befor", "After"]]);
	is("two columns", (lines()).map((s) => s.split(" ").length),
		[3, 3, 3]);
	key("1");
	clear();
	is("and one again", [$("bar").hidden, lines()], [true, whole]);

	const sole = async (x) => {
		hover(x, 2);
		await pause(150);
		return tip().replace(/.* of parent.*all/, "");
	};
	is("a thread is named where it is the only one", await sole(0.95),
		"thread: <i>x<i>");
	is("or what threads have in common", await sole(0.2),
		"pool: exec-*");
	is("or nothing", (await sole(2)), "");
	drag(0, 0.05);
	is("of the span that is seen", (await sole(0.5)).slice(0, 6),
		"pool: ");
	clear();
	hover(2, 2);

	key("t");
	tab("pool");
	is("pools", table(), ["180 exec-*", "20 <i>x<i>"]);
	tab("thread");
	is("threads", table(), ["90 exec-1", "90 exec-2", "20 <i>x<i>"]);
	click(2);
	is("a click selects one", [lines(), chips()],
		[["main;gc 20"], ["thread: <i>x<i>✕"]]);
	is("the others are still there", table().length, 3);
	click(0);
	is("and another with it", [sum(lines()), location.hash], [110,
		"#f=thread%3A%3Ci%3Ex%3Ci%3E&f=thread%3Aexec-1"]);
	click(0);
	click(2);
	is("once more and it is not", lines(), whole);
	click(2, { altKey: true });
	is("with Alt all others", [sum(lines()), chips()],
		[180, ["not thread: <i>x<i>✕"]]);
	rows()[0].dispatchEvent(new MouseEvent("contextmenu",
		{ bubbles: true }));
	is("so does the other button", lines(), ["main;a 50", "main;b 40"]);
	drag(0, 0.49);
	is("what a list shows is of the span", table().length, 2);
	clear();
	location.hash = "f=thread:exec-*";
	await pause(300);
	is("a pattern is of threads, too", lines(), ["main;a 100", "main;b 80"]);
	clear();
	$("sift").value = "EXEC";
	$("sift").dispatchEvent(new Event("input"));
	is("a list is searched", table().length, 2);
	$("sift").value = "";
	$("sift").dispatchEvent(new Event("input"));

	click(0);
	key("4");
	is("callers are of what is chosen", $("steps").lastChild.textContent,
		"90 samples, 45.00% of the profile");
	key("1");
	$("lines").click();
	await pause(50);
	is("a row for each thread", $("lines").getAttribute("aria-pressed"),
		"true");
	is("a row adds up to the chosen thread", cellSums(190, 15),
		{ "exec-1": 90, "exec-2": 0, "<i>x<i>": 0 });
	clear();
	is("each row adds up to its thread", cellSums(190, 15),
		{ "exec-1": 90, "exec-2": 90, "<i>x<i>": 20 });
	$("lines").click();
	const button = $("lines").getBoundingClientRect(), heat = $("heat");
	const under = heat.getContext("2d").getImageData(button.left -
		heat.getBoundingClientRect().left, heat.height - 15,
	button.width, 15).data;
	is("labels of the time end before the button", under.some((v) => v),
		false);
	is("without threads all cells add up", cellSums(0, 8), { "": 200 });
	$("lines").click();
	click(0);
	is("and is in hand", $("list").getAttribute("aria-activedescendant"),
		"line0");
	$("list").dispatchEvent(new KeyboardEvent("keydown",
		{ key: "ArrowDown", bubbles: true }));
	$("list").dispatchEvent(new KeyboardEvent("keydown",
		{ key: "Enter", bubbles: true }));
	is("by keys", location.hash,
		"#f=thread%3Aexec-1&f=thread%3Aexec-2");
	is("the end", 1, 1);
