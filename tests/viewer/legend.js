/* SPDX-License-Identifier: Apache-2.0 */
/* A page as it opens: the heaviest first, and a legend that chooses. */
	await until(() => !$("first"));
	const order = () => [...d_of("main")].join(" ");
	// The frames of a level from left to right, by what the tooltip says.
	const d_of = (name) => {
		const found = [];
		for (let x = 0.01; x < 1; x += 0.02) {
			hover(x, 1);
			const at = $("status").textContent.split(" ")[0];
			if (at && at !== found.at(-1))
				found.push(at);
		}
		return found;
	};
	const entries = () => [...$("key").children].filter((e) => !e.hidden)
		.map((e) => e.textContent);
	await until(() => $("key").children[0]);
	is("the heaviest is left", order(), "com.app.Main.go main other");
	is("the legend shows kinds, colours and order", entries(),
		["Java", "other", "Colour: kinds", "Heaviest first"]);
	const [r, g] = getComputedStyle($("key").children[1].firstChild)
		.backgroundColor.match(/\d+/g);
	is("what has no kind is red, as its frames are, not as the root", r - g > 50,
		true);
	// Kinds of the frames of a zoom and of its ancestors.
	for (const [at, seen] of [[0.8, ["other"]], [0.3, ["Java"]]]) {
		hover(at, 1);
		key("Enter");
		await rest();
		is("zoomed: " + seen, [entries().slice(0, -2),
			location.hash.slice(0, 3)], [seen, "#z="]);
		key("Escape");
		await rest();
		is("and all again", [entries().slice(0, -2), location.hash],
			[["Java", "other"], ""]);
	}
	key("w");
	await rest();
	is("by name", [order(), location.hash, entries().at(-1)],
		["com.app.Main.go main other", "#o=name", "By name"]);
	key("w");
	await rest();
	is("and back", location.hash, "");
	$("key").children[0].click();
	await rest();
	is("a kind of the legend is chosen", [$("steps").textContent,
		$("key").children[0].getAttribute("aria-pressed")],
	["Onlytype:Java✕7 samples, 58.33% of the profile", "true"]);
	$("key").children[0].click();
	await rest();
	is("once more: all", location.hash, "");
	$("key").children[0].dispatchEvent(new MouseEvent("click",
		{ altKey: true, bubbles: true }));
	await rest();
	is("Alt: without it", $("steps").textContent,
		"Withouttype:Java✕5 samples, 41.67% of the profile");
	console.log("ok: the end");
