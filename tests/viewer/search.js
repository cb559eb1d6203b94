/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a page of Java names: searches as its reader sees them, and opens
 * the menu by key. */
	while ($("first"))
		await pause(5);
	const search = (text) => {
		$("search").value = text;
		$("search").dispatchEvent(new Event("input"));
		return $("found").textContent;
	};
	for (const text of ["java.util.HashMap", "java/util/HashMap",
		"HASHMAP".toLowerCase(), "=java.util.HashMap.get",
		"=java/util/HashMap.get", "/^java\\.util\\.HashMap\\.get$/"])
		is("it is found as " + text, search(text), "30.00% · 1");
	for (const text of ["com.app.Main", "com/app/Main"])
		is("a name with dots as " + text, search(text), "100.00% · 1");
	for (const text of ["Executor$Task.run", "/Executor$Task\\.run$/",
		"/Executor$Task|none/"])
		is("$ stands for itself in " + text, search(text),
			"70.00% · 1");
	is("a word that is a regular expression is one",
		search("Executor|HashMap"), "100.00% · 2 as regexp");
	key("n");
	is("also when one walks its matches", $("found").textContent,
		"100.00% · 1/2 as regexp");
	search("Task|HashMap$");
	search("Executor|HashMap");
	$("only").click();
	is("and as a filter", decodeURIComponent(location.hash),
		"#only=/Executor|HashMap/");
	$("steps").querySelector("button").click();
	is("a word that is none is not found", search("Task(|"), "0.00% · 0");
	is("an invalid expression is reported", [search("/(/"),
		$("search").getAttribute("aria-invalid"),
		/Unterminated/.test($("found").title)],
		["no regexp", "true", true]);
	search("");
	is("until it is not there", [$("found").textContent,
		$("search").getAttribute("aria-invalid")], ["", "false"]);

	key("t");
	const sift = (text) => {
		$("sift").value = text;
		$("sift").dispatchEvent(new Event("input"));
		return document.querySelectorAll("#list [id]").length;
	};
	is("the list finds them, too", ["java.util.", "java/util/",
		"executor$task", "com/app/main", "none"].map(sift),
		[1, 1, 1, 1, 0]);
	[...$("tabs").children].find((b) => b.textContent === "Packages")
		.click();
	is("and packages", ["java/util", "java.util"].map(sift), [1, 1]);
	sift("");
	key("t");

	key("Escape");
	key("f");
	is("without a frame a key says what it needs",
		$("status").textContent.startsWith("Choose a frame"), true);
	// By key the browser opens the menu amid what has the focus.
	const menuByKey = (id) => {
		const box = $(id).getBoundingClientRect();
		$(id).focus();
		$(id).dispatchEvent(new KeyboardEvent("keydown",
			{ key: "F10", shiftKey: true, bubbles: true }));
		$(id).dispatchEvent(new MouseEvent("contextmenu", {
			bubbles: true, clientX: box.left + box.width / 2,
			clientY: box.top + box.height / 2 }));
		const [head] = $("menu").querySelectorAll("b");
		return $("menu").matches(":popover-open") && head.textContent;
	};
	is("without a frame no menu", menuByKey("canvas"), false);
	key("ArrowUp");
	key("ArrowUp");
	is("the menu key is of the frame that the arrows chose",
		[menuByKey("canvas"), $("status").textContent.split(" ")[0]],
		["Executor$Task.run", "org.app.Executor$Task.run"]);
	const press = (k) => document.activeElement.dispatchEvent(
		new KeyboardEvent("keydown", { key: k, bubbles: true }));
	press("h");
	is("letters of the open menu work", [location.hash,
		$("menu").matches(":popover-open")],
		["#hide=" + encodeURIComponent("org/app/Executor$Task.run"),
			false]);
	$("steps").querySelector("button").click();
	key("3");
	await pause(50);
	$("rows").focus();
	key("ArrowDown");
	is("also in the tree", menuByKey("rows"), "Main.go");
	$("menu").hidePopover();
	key("1");
	is("the end", 1, 1);
