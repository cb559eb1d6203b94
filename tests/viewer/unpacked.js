/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a page whose browser cannot unpack: the picture stays, and why. */
	await until(() => /cannot run/.test($("note").textContent));
	is("the reason is shown", /DecompressionStream/.test(
		$("note").textContent), true);
	is("the title and sums are there", [...$("first").children].slice(0, 2)
		.map((e) => e.textContent),
		["folded", "15 samples · 10 frames"]);
	is("so is the picture, without dead controls", [!!document
		.querySelector("#first svg path"), document.querySelector(
		"button, input, canvas")], [true, null]);
	is("the end", 1, 1);
