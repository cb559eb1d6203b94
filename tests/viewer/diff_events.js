/* SPDX-License-Identifier: Apache-2.0 */
/* As diffs.js, in a comparison of several events: a tab for each. */
	const tabs = () => [...$("events").children];
	const open = () => tabs().findIndex((tab) =>
		tab.getAttribute("aria-selected") === "true");
	const undecoded = () => document.querySelectorAll(".data").length;
	const most = (text) => until(() => $("most").textContent.includes(text));

	while ($("first"))
		await pause(5);
	is("a tab for each event, with both totals", tabs().map((tab) =>
		tab.textContent), ["cpu 161 → 602 samples",
		"wall 4.1 min → 3.3 min", "alloc 2 GiB → 0 B"]);
	is("the first is open, the others wait", [open(), undecoded(),
		$("info").textContent], [0, 2, "cpu · 161 → 602 samples " +
		"(+441, +273.9%) · 1,458 frames"]);
	is("the title names both sides", document.title,
		"spark-multichunk.jfr → spark-cpu-wall.jfr, cpu");
	await most("MemoryManager.scan");
	is("what changed most of it", $("most").textContent, "Changed most: " +
		"MemoryManager.scan: self 26 → 98 samples (+72, +276.9%), " +
		"6.5 σ. Then by self: libz.so.1.2.13 +68, " +
		"finish_task_switch.isra.0 +14. The totals differ: +273.9%. Compare at equal totals");
	$("most").lastElementChild.click();
	await rest();
	is("equal totals are a button away", [$("norm").value,
		location.hash, $("most").textContent.includes("totals differ")],
		["total", "#n=total", false]);
	tabs()[1].click();
	await rest();
	is("another event is compared alike", [open(), undecoded(),
		$("norm").value, $("bar").hidden, location.hash,
		$("info").textContent.slice(0, 24)], [1, 1, "total", false,
		"#n=total&e=wall", "wall · 4.1 min → 3.3 min"]);
	key("b");
	await rest();
	tabs()[2].click();
	await rest();
	is("widths go with it", [open(), $("before").ariaPressed],
		[2, "true"]);
	is("an event of one side is gone", $("counts").textContent
		.replace(/[0-9,]+ gone/, "N gone"),
	"11.7 s → 9.2 s · 0 frames new, N gone");
	for (let i = 0; i < 3; i++)
		await back();
	await rest();
	is("back to the first as it was left", [open(), $("norm").value,
		$("after").ariaPressed, location.hash],
		[0, "total", "true", "#n=total"]);
	is("the end", 1, 1);
