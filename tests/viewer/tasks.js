/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ten tasks in the page that times makes, and how many actions each may need:
 * clicks, drags, keys and typed words.
 */
	let actions = 0, copied = "";
	const at = (e, x, y) => {
		const box = e.getBoundingClientRect();
		return { clientX: box.left + x, clientY: box.top + y,
			bubbles: true, cancelable: true, detail: 1 };
	};
	const click = (e, x = 2, y = 2, type = "click") => {
		actions++;
		e.dispatchEvent(new MouseEvent(type, at(e, x, y)));
	};
	// A key goes to the element that has the focus.
	const press = (k, more) => {
		actions++;
		const e = new KeyboardEvent("keydown", { key: k, bubbles: true,
			cancelable: true, ...more });
		if (document.activeElement.dispatchEvent(e) && k === "Enter")
			document.activeElement.click();
	};
	const type = (text) => {
		actions++;
		document.activeElement.value = text;
		document.activeElement.dispatchEvent(new Event("input"));
	};
	const drag = (from, to, more) => {
		const { width } = $("heat").getBoundingClientRect();
		actions++;
		for (const [type, x] of [["pointerdown", from],
			["pointermove", to], ["pointerup", to]])
			$("heat").dispatchEvent(new PointerEvent(type, { ...at(
				$("heat"), x * (width - 12), 2), pointerId: 1,
			...more }));
	};
	// A frame by its place: a share of the width, a level.
	const frame = (x, level) => {
		const { width, height } = $("canvas").getBoundingClientRect();
		return [$("canvas"), x * width, height - level * 20 - 10];
	};
	const choose = (text) => {
		const all = [...document.querySelectorAll("#menu button, #tabs button")];
		click(all.find((b) => b.textContent.startsWith(text)));
	};
	const rows = () => [...document.querySelectorAll("#list [id]")];
	const line = (k) => rows()[k].children[0].title + " " +
		rows()[k].lastChild.textContent;
	const samples = () => $("info").textContent.replace(/ samples.*/, "");
	const link = () => decodeURIComponent(location.hash);

	// No more than `most` actions, from the page as it opens.
	async function task(name, most, does, wanted) {
		for (let b; (b = $("steps").querySelector("button"));)
			b.click();
		$("menu").hidePopover();
		for (let k = 0; k < 4; k++)
			key("Escape");
		key("1");
		key("0");
		$("canvas").focus();
		await rest();
		actions = 0;
		const seen = await does();
		is(name, [seen, actions > most ? actions : "few"],
			[wanted, "few"]);
	}

	while ($("first"))
		await pause(5);
	Element.prototype.setPointerCapture = () => {};
	Object.defineProperty(navigator, "clipboard", { value: {
		async writeText(text) {
			copied = text;
		} } });

	await task("the hottest function", 1, () => {
		click($("table"));
		return line(0);
	}, "100 a");
	await task("by keys", 1, () => {
		press("t");
		return [line(0), document.activeElement.id];
	}, ["100 a", "list"]);
	await task("who calls a function", 1, async () => {
		hover(0.2, 2);
		$("canvas").dispatchEvent(new MouseEvent("click", {
			...at(...frame(0.2, 2)) }));
		click(...frame(0.2, 2), "dblclick");
		await rest();
		return link();
	}, "#v=sandwich&m=a");
	await task("by keys", 5, async () => {
		press("/");
		type("=gc");
		press("Enter");
		press("Escape");
		press("s");
		await rest();
		return link().replace(/&q=.*/, "");
	}, "#v=sandwich&m=gc");
	await task("the share below a function", 0, async () => {
		hover(0.2, 2);
		await pause(150);
		return tip().includes("100 samples50.00% of all");
	}, true);
	await task("by keys", 2, () => {
		press("ArrowUp");
		press("ArrowUp");
		return /^a, 50.00% total/.test($("live").textContent);
	}, true);
	await task("two spans compared", 2, () => {
		drag(0, 0.49);
		drag(0.51, 0.99, { shiftKey: true });
		return $("bar").hidden;
	}, false);
	await task("without the collector", 2, () => {
		hover(0.95, 2);
		click(...frame(0.95, 2), "contextmenu");
		choose("Drop stacks");
		return samples();
	}, "180 of 200");
	await task("by its name", 3, () => {
		press("/");
		type("gc");
		click($("without"));
		return samples();
	}, "180 of 200");
	await task("one thread", 2, async () => {
		click($("lines"));
		await pause(50);
		actions++;
		$("heat").dispatchEvent(new PointerEvent("pointerdown", {
			...at($("heat"), 20, 22) }));
		const seen = [samples(), $("steps").firstChild.textContent];
		$("lines").click();
		return seen;
	}, ["90 of 200", "thread: exec-2✕"]);
	await task("a span of time", 1, () => {
		drag(0, 0.49);
		return /^9\d of 200$/.test(samples());
	}, true);
	await task("a stack copied", 2, async () => {
		hover(0.2, 2);
		click(...frame(0.2, 2), "contextmenu");
		choose("Copy stack");
		await pause(50);
		return copied;
	}, "main\na");
	await task("by keys", 3, async () => {
		copied = "";
		press("ArrowUp");
		press("ArrowUp");
		press("C");
		await pause(50);
		return copied;
	}, "main\na");
	await task("a link to what is zoomed", 1, async () => {
		hover(0.2, 2);
		click(...frame(0.2, 2));
		await rest();
		return /^#z=\w+\.a$/.test(link());
	}, true);
	await task("by keys alone, from the page's begin", 5, async () => {
		$("skip").focus();
		press("Enter");
		press("ArrowUp");
		press("ArrowUp");
		press("Enter");
		await rest();
		return [document.activeElement.id, link().replace(/z=\w+/, "")];
	}, ["canvas", "#.a"]);
	is("the end", 1, 1);
