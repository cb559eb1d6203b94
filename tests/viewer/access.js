/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs in a page of samples: by keys alone each view is reached and walked;
 * and where axe-core is there (see access), it finds nothing serious.
 */
	while ($("first"))
		await pause(5);
	const press = (k, more) => document.activeElement.dispatchEvent(
		new KeyboardEvent("keydown", { key: k, bubbles: true,
			cancelable: true, ...more }));
	const findings = async (where) => {
		if (!window.axe)
			return;
		const { violations } = await axe.run(document);
		is("axe finds nothing serious: " + where, violations.filter((v) =>
			/serious|critical/.test(v.impact)).map((v) => v.id + " " +
			v.nodes.map((n) => n.target.join(" ")).join(", ")), []);
	};
	const views = [["flame", "canvas", "ArrowUp"],
		["icicle", "canvas", "ArrowDown"], ["tree", "rows", "ArrowDown"],
		["callers", "canvas", "ArrowDown"],
		["sandwich", "canvas", "ArrowDown"],
		["chart", "chart_canvas", "ArrowDown"]].filter(([name]) =>
		$(name));
	for (const [k, [name, id, arrow]] of views.entries()) {
		press(String(k + 1));
		await rest();
		press("Escape");
		await rest();
		const was = $("live").textContent + $("status").textContent;
		press(arrow);
		await rest();
		is(name + " has the focus, and arrows walk it", [
			document.activeElement.id, $(name).ariaPressed, was !==
			$("live").textContent + $("status").textContent],
		[id, "true", true]);
		await findings(name);
	}
	press("1");
	await rest();
	press("Escape");
	press("ArrowUp");
	press("Enter");
	const { activeElement } = document;
	is("Enter opens a run", [/^[^…]* — /.test($("status").textContent),
		activeElement.id], [true, "canvas"]);
	press("Enter");
	await rest();
	is("Enter zooms", /z=/.test(location.hash), true);
	for (const k of ["t", "?", "e", "I"]) {
		press(k);
		await rest();
		is(k + " opens what can be walked", k === "t" ?
			!$("pane").hidden : $("menu").matches(":popover-open"),
		true);
		await findings(k);
		if (k !== "t")
			$("menu").hidePopover();
	}
	// All that a click reaches, Tab reaches.
	is("nothing is for the mouse alone", [...document.querySelectorAll(
		"button, input, select, canvas:not([aria-hidden], #hover)")]
		.filter((e) => e.checkVisibility() && e.tabIndex < 0 &&
			e.role !== "tab").map((e) => e.id), []);
	is("what it reaches has a name", [...document.querySelectorAll(
		"button, input, [tabindex='0']")].filter((e) =>
		e.checkVisibility() && !e.textContent && !e.ariaLabel &&
		!e.placeholder && !e.labels?.[0]).map((e) => e.outerHTML), []);
	is("the end", 1, 1);
