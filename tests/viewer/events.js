/* SPDX-License-Identifier: Apache-2.0 */
/* As check.js, in a page of several events. */
	const tabs = () => [...$("events").children];
	const open = () => tabs().findIndex((tab) =>
		tab.getAttribute("aria-selected") === "true");
	const undecoded = () => document.querySelectorAll(".data").length;
	const way = () => [...$("crumbs").children].map((e) => e.textContent);
	// Moves to the first match and returns the text beside the view.
	async function zoom(text) {
		$("search").value = text;
		$("search").dispatchEvent(new Event("input"));
		key("n");
		key("Enter");
		await rest();
	}
	while ($("first"))
		await pause(5);
	is("a tab for each event", tabs().map((tab) => tab.textContent), [
		"cpu 161 samples", "wall 4.1 min", "alloc 2 GiB"]);
	is("the first is open, the others wait", [open(), undecoded(),
		$("info").textContent.slice(0, 9)], [0, 2, "cpu · 161"]);
	await zoom("ThreadPoolExecutor.runWorker");
	const at = new URLSearchParams(location.hash.slice(1)).get("z");
	tabs()[2].click();
	await pause(300);
	const now = new URLSearchParams(location.hash.slice(1));
	is("another is decoded when it is seen", [open(), undecoded(),
		$("info").textContent.slice(0, 13)], [2, 1, "alloc · 2 GiB"]);
	is("search and zoom go with it", [now.get("e"), now.get("z") === at,
		$("search").value, way().at(-1)],
		["alloc", true, "ThreadPoolExecutor.runWorker", "ThreadPoolExecutor.runWorker"]);
	await back();
	await pause(300);
	is("back to the first", [open(), way().length > 2], [0, true]);
	key("E");
	await pause(300);
	is("the next by key", [open(), undecoded()], [1, 0]);
	tabs()[1].dispatchEvent(new KeyboardEvent("keydown",
		{ key: "ArrowRight", bubbles: true }));
	await pause(300);
	is("and by arrow", [open(), document.activeElement === tabs()[2]],
		[2, true]);
	const fill = () => {
		const c = $("canvas"), box = c.getContext("2d");
		return [...box.getImageData(c.width / 2, c.height - 33, 1, 1)
			.data].join();
	};
	const colors = [];
	key("Escape");
	for (const scheme of ["packages", "libraries", "kinds"]) {
		key("k");
		await rest();
		is("k colours by " + scheme, $("status").textContent
			.toLowerCase(), "colours: " + scheme);
		colors.push(location.hash + fill());
	}
	is("each its own", [colors[0].slice(-9) !== colors[2].slice(-9),
		colors.map((s) => s.includes("c="))], [true, [true, true, false]]);
	location.hash = "c=package&e=cpu";
	await pause(500);
	dispatchEvent(new Event("beforeprint"));
	is("a link says it, and the legend of it", $("paper").textContent
		.includes("java.util.concurrent"), true);
	is("the end", 1, 1);
