/* SPDX-License-Identifier: Apache-2.0 */
/* What the scripts that act.sh puts into a page have at hand; they follow. */
(async () => {
	const $ = (id) => document.getElementById(id);
	const pause = (ms) => new Promise((done) => setTimeout(done, ms));
	// The browser's own time for it is not that of the page.
	const back = async () => {
		let done = false;
		addEventListener("popstate", () => done = true, { once: true });
		history.back();
		for (let i = 0; i < 20000 && !done; i++)
			await pause(1);
	};
	const until = async (holds) => {
		for (let i = 0; i < 500 && !holds(); i++)
			await pause(20);
	};
	// Until what is typed has gone to the address and what moved rests.
	const rest = () => pause(400);
	const key = (k) => document.body.dispatchEvent(
		new KeyboardEvent("keydown", { key: k, bubbles: true }));
	// To a share of the width, `level` rows above the root.
	const hover = (x, level) => {
		const box = $("canvas").getBoundingClientRect();
		$("canvas").dispatchEvent(new MouseEvent("mousemove", {
			clientX: box.left + x * box.width, bubbles: true,
			clientY: box.bottom - level * 20 - 10 }));
	};
	const tip = () => $("tip").hidden ? "" : $("tip").textContent;
	addEventListener("error", (e) => console.log("not ok: " + e.message));

	function is(what, seen, wanted) {
		const same = JSON.stringify(seen) === JSON.stringify(wanted);
		console.log((same ? "ok: " : "not ok: ") + what + (same ? "" :
			": " + JSON.stringify(seen).replaceAll('"', "'")));
	}
