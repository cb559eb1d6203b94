/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in the page that times makes: samples in time order, by thread. */
	Element.prototype.setPointerCapture = () => {};
	while ($("first"))
		await pause(5);
	const canvas = $("chart_canvas");
	const tracks = () => [...canvas.children].map((e) => e.textContent);
	// To a share of the width, y pixels from the top.
	const act = (type, x, y, more) => {
		const box = canvas.getBoundingClientRect();
		canvas.dispatchEvent(new (type === "wheel" ? WheelEvent :
			PointerEvent)(type, { bubbles: true, cancelable: true,
			clientX: box.left + x * box.width,
			clientY: box.top + y, ...more }));
	};
	// Of the first track below the axis and the heading: rows of 20.
	const at = (x, row) => {
		act("pointermove", x, 50 + 20 * row);
		return $("tip").hidden ? "" : $("status").textContent
			.split(" (")[0] + " / " +
			$("tip").lastChild.textContent;
	};
	const span = () => decodeURIComponent(location.hash).match(/t=[^&]*/);
	const shown = () => span() ? span()[0].slice(2).split("-").map(Number) :
		[];
	// A span is chosen when it rests, and its link after that.
	const settled = () => pause(800);
	key("6");
	await rest();
	is("it is linked", [location.hash, $("chart").ariaPressed,
		$("chart_view").hidden, $("main").hidden],
	["#v=chart", "true", false, true]);
	is("a track for each thread", tracks(), ["exec-1, 90 samples",
		"exec-2, 90 samples", "<i>x<i>, 20 samples"]);
	is("calls last from sample to sample", [at(0.25, 0), at(0.25, 1)],
		["main — 200 samples / Here from 0 s to 39.8 s",
			"a — 100 samples / Here from 0 s to 20 s"]);
	is("in their order", at(0.75, 1).slice(0, 15), "b — 80 samples ");
	is("what nobody ran is not there", at(0.25, 2), "");
	act("pointermove", 0.75, 70);
	is("it is outlined", $("hover").hidden, false);
	act("pointerleave", 0.75, 70);
	act("click", 0.25, 70, { detail: 1 });
	await settled();
	is("a click selects the time of a call", [shown()[0], Math.round(
		shown()[1])], [0, 20]);
	is("which is that of the page", $("steps").textContent.includes(
		"100 samples, 50.00% of the profile"), true);
	key("1");
	await rest();
	await until(() => !$("main").hidden);
	hover(0.5, 1);
	is("and of the flame graph", $("status").textContent,
		"main — 100 samples (100.00% of all)");
	key("6");
	await rest();
	is("and back", at(0.99, 1).split(" / ")[0], "a — 100 samples");
	key("Escape");
	await settled();
	is("Esc shows all", [span(), at(0.75, 1).slice(0, 1)], [null, "b"]);
	key("+");
	await settled();
	const [a, b] = shown();
	is("+ is closer to the pointer", [a > 5 && a < 7, b > 37 && b < 39],
		[true, true]);
	key("ArrowRight");
	await settled();
	is("arrows go on", shown()[0] > a && shown()[1] > b, true);
	act("wheel", 0.5, 70, { ctrlKey: true, deltaY: -100 });
	await settled();
	is("Ctrl and the wheel zoom", shown()[1] - shown()[0] < b - a, true);
	key("0");
	await rest();
	is("0 shows all", span(), null);
	location.hash = "#v=chart&t=30-40&hide=main";
	await rest();
	is("a link's span, and what its steps leave", at(0.5, 0)
		.replace(/ to .*/, ""), "b — 40 samples / Here from 30 s");
	location.hash = "#v=chart";
	await rest();
	key("ArrowDown");
	is("the active track is named", [$("live").textContent,
		canvas.getAttribute("aria-activedescendant"),
		canvas.children[1].ariaSelected],
	["exec-2, 90 samples, closed", "track1", "true"]);
	key("Enter");
	is("Enter opens it", $("live").textContent,
		"exec-2, 90 samples, open");
	location.hash = "#v=chart&f=thread:exec-2";
	await rest();
	is("of chosen threads only", tracks(), ["exec-2, 90 samples"]);
	is("the end", 1, 1);
