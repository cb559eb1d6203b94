/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a page beside its viewer: does what a reader does, and times it. */
(async () => {
	const $ = (id) => document.getElementById(id);
	const lines = [];
	const pause = (ms) => new Promise((done) => setTimeout(done, ms));
	const frame = () => new Promise((done) =>
		requestAnimationFrame(() => setTimeout(done)));
	const key = (k, more) => document.body.dispatchEvent(
		new KeyboardEvent("keydown", { key: k, bubbles: true, ...more }));
	const mouse = (type, x, y) => {
		const box = $("canvas").getBoundingClientRect();
		$("canvas").dispatchEvent(new MouseEvent(type, { bubbles: true,
			clientX: box.left + x, clientY: box.top + y,
			detail: 1 }));
	};
	const search = (text) => {
		$("search").value = text;
		$("search").dispatchEvent(new Event("input"));
	};

	function told(what, ms, budget) {
		lines.push(what.padEnd(34) + ms.toFixed(1).padStart(10) + " ms" +
			(budget ? String(budget).padStart(8) +
			(ms > budget ? "  over" : "") : ""));
	}
	// The best of three: until the script ends, until it is painted.
	async function time(what, budget, act, back) {
		let script = Infinity, shown = Infinity;
		for (let i = 0; i < 3; i++) {
			const begin = performance.now();
			act();
			script = Math.min(script, performance.now() - begin);
			await frame();
			shown = Math.min(shown, performance.now() - begin);
			await pause(300);
			if (back) {
				back();
				await pause(300);
			}
		}
		told(what, script, budget);
		told("  painted", shown);
	}
	while ($("first"))
		await pause(5);
	told("interactive, wall", performance.now(), 1000);
	lines.push($("info").textContent);
	await pause(500);
	const { width, height } = $("canvas").getBoundingClientRect();
	await time("one frame, closer by a key", 8, () => key("+"), () => key("0"));
	await time("hover, outline and details", 16,
		() => mouse("mousemove", width / 2 + Math.random() * 99,
			height - 60));
	await time("click to zoom", 50,
		() => mouse("click", width / 2, height - 130), () => key("0"));
	await time("search for Map", 100, () => search("Map"),
		() => search(""));
	await time("search for /get.*[0-9]7/", 100,
		() => search("/get.*[0-9]7/"), () => search(""));
	await time("next match", 50, () => {
		search("Map");
		key("n");
	}, () => search(""));
	await time("callers", 300, () => key("4"), () => key("1"));
	key("4");
	await pause(300);
	await time("zoom into callers", 300,
		() => mouse("click", width / 3, 110), () => key("0"));
	key("1");
	await pause(300);
	await time("sandwich of a function", 50, () => {
		mouse("mousemove", width / 2, height - 330);
		key("s");
	}, () => key("1"));
	await time("table", 150, () => key("t"), () => key("t"));
	await time("hide a function", 0, () => {
		mouse("mousemove", width / 2, height - 130);
		key("h");
	}, () => $("steps").querySelector("button").click());
	await time("only what matches", 0, () => {
		search("Map");
		$("only").click();
	}, () => $("steps").querySelector("button").click());
	await time("dark", 0, () => key("d"));
	if (performance.memory)
		lines.push("heap, after all".padEnd(34) +
			(performance.memory.usedJSHeapSize / 1e6).toFixed(1)
			.padStart(10) + " MB");
	for (const line of lines)
		console.log("measured: " + line);
	console.log("measured: end");
})();
