/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs in a page that has another one within, which it makes wider and wider:
 * at each width every control lies in the window, and nothing is to be
 * scrolled sideways.
 */
	const frame = document.querySelector("iframe");
	await until(() => frame.contentDocument?.querySelector("header") &&
		!frame.contentDocument.getElementById("first"));
	const inside = frame.contentDocument, view = frame.contentWindow;
	const controls = () => [...inside.querySelectorAll("h1, #info, " +
		"header button, header input, #bar button, #bar label, " +
		"#events button, #key > *, #path button, #most button, " +
		"#said button, #lines")]
		.filter((e) => e.checkVisibility() && !e.closest("[hidden]"));
	for (const [wide, high] of [[320, 256], [320, 640], [360, 780],
		[390, 844], [480, 800], [600, 400], [640, 512], [700, 800],
		[800, 600], [801, 600], [900, 700], [1024, 768], [1100, 700],
		[1280, 720], [1366, 768], [1400, 900], [1920, 1080],
		[2560, 1440]]) {
		frame.style.width = wide + "px";
		frame.style.height = high + "px";
		await pause(60);
		const out = controls().filter((e) => {
			const { left, right, width, height } =
				e.getBoundingClientRect();
			return left < 0 || right > wide + 0.5 || !width ||
				!height;
		});
		const sideways = [inside.documentElement, inside.body,
			...inside.querySelectorAll("header, #head, #bar, " +
			"#events, #time, #path, #key, #most, #said, footer")]
			.filter((e) => e.scrollWidth > e.clientWidth + 1 &&
				e.checkVisibility() && !/hidden|clip/.test(
				view.getComputedStyle(e).overflowX));
		const rows = new Set([...inside.querySelectorAll(
			"header .pick, #box")].map((e) => {
			const { top, bottom } = e.getBoundingClientRect();
			return Math.round((top + bottom) / 4);
		}));
		is("all is in sight in " + wide + " x " + high, [
			out.map((e) => e.id || e.textContent),
			sideways.map((e) => e.id || e.tagName),
			wide < 960 || rows.size === 1,
			inside.getElementById("canvas").clientHeight > 90],
		[[], [], true, true]);
	}
	is("the end", 1, 1);
