/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs in a page of: main;a;b;c;d (1 in b itself), which branch below d.  Runs
 * are one row; sums, search and exports are those of all frames.
 */
	const saved = [];
	URL.createObjectURL = (blob) => saved.push(blob) && "about:blank";
	HTMLAnchorElement.prototype.click = () => {};
	const table = () => {
		key("t");
		const rows = [...document.querySelectorAll("#list [id]")].map(
			(row) => [...row.children].map((cell, k) => k < 2 ?
				cell.title : cell.textContent).join(" "));
		key("t");
		return rows;
	};
	const folded = async () => {
		key("e");
		[...document.querySelectorAll("#menu button")].find((b) =>
			b.textContent.startsWith("Folded")).click();
		await until(() => saved[0]);
		return (await saved.pop().text()).trim().split("\n").sort();
	};
	const search = async (text) => {
		$("search").value = text;
		$("search").dispatchEvent(new Event("input"));
		await rest();
		return $("found").textContent;
	};
	const tipAt = (level, x = 0.5) => {
		hover(x, level);
		return $("status").textContent.split(" — ")[0];
	};
	const click = (level) => {
		const box = $("canvas").getBoundingClientRect();
		$("canvas").dispatchEvent(new MouseEvent("click", {
			bubbles: true, detail: 1, clientX: box.left + 200,
			clientY: box.bottom - level * 20 - 10 }));
	};
	const numbers = async () => [table(), await folded(), await search("b"),
		await search("c"), await search("x"), await search("")];
	await until(() => !$("first"));
	is("a run is one row", [tipAt(1), tipAt(2, 0.01), tipAt(2, 0.9),
		$("status").textContent], ["main … c +2", "", "d",
		"d — 97 samples (97.00% of all)"]);
	hover(0.5, 1);
	is("with the sum of its first frame", $("status").textContent,
		"main … c +2 — 100 samples (100.00% of all)");
	await pause(200);
	is("and its frames in the tooltip", /abcOne row for 4 frames/.test(
		tip()), true);
	const before = await numbers();
	is("a frame of it is found", before[2], "100.00% · 1");
	key("ArrowUp");
	key("ArrowUp");
	is("arrows pass over it", $("status").textContent.split(" ")[0], "d");
	key("ArrowDown");
	is("both ways", $("status").textContent.split(" — ")[0], "main … c +2");
	key("Escape");
	click(1);
	await rest();
	is("a click opens it", [1, 2, 3, 4, 5].map((l) => tipAt(l, 0.1)),
		["main", "a", "b", "c", "d"]);
	is("and zooms nothing", location.hash, "");
	key("F");
	await rest();
	is("F folds it again", tipAt(1), "main … c +2");
	key("F");
	await rest();
	is("and opens all, which a link says", [tipAt(1), location.hash],
		["main", "#k=open"]);
	const after = await numbers();
	is("sums, search and export are the same", after, before);
	key("F");
	await rest();
	await search("=c");
	key("n");
	await rest();
	is("a match within is shown", [tipAt(4, 0.1), tipAt(1)], ["c", "main"]);
	await search("");
	key("F");
	key("4");
	await rest();
	key("ArrowDown");
	is("callers are folded, too", $("status").textContent.split(" — ")[0],
		"y … a +3");
	key("1");
	is("the end", 1, 1);
