/* SPDX-License-Identifier: Apache-2.0 */
/* Callers of a profile without a heavy function have no names: the table has. */
	await until(() => !$("first"));
	const turn = (k) => {
		key(k);
		return [$("callers").getAttribute("aria-pressed"), $("pane").hidden];
	};
	is("other views are alone", turn("5"), ["false", true]);
	is("callers of a flat profile have the table", turn("4"), ["true", false]);
	is("of functions by self", [...document.querySelectorAll("#list [id]")]
		.slice(0, 2).map((row) => row.children[0].title +
			row.lastChild.textContent), ["2f1", "1f10"]);
	key("Escape");
	is("until it is closed", [$("callers").getAttribute("aria-pressed"),
		$("pane").hidden], ["true", true]);
	key("1");
	location.hash = "#only==f1";
	await rest();
	is("one heavy function is enough", turn("4"), ["true", true]);
	is("the end", 1, 1);
