/* SPDX-License-Identifier: Apache-2.0 */
/* A page of a recording: its title, the panel of its facts, names of exports. */
	await until(() => !$("first"));
	is("title", $("title").textContent, "spark-cpu-wall.jfr, cpu");
	is("title of the window", document.title, "spark-cpu-wall.jfr, cpu");
	is("the metric is not shown twice",
		$("info").textContent.includes("cpu"), false);
	key("I");
	const shown = $("menu").textContent;
	for (const fact of ["OpenJDK 64-Bit Server VM", "SparkShaped 20 3 2",
		"2026-11-21T04:19:22.545Z", "9.204 s", "async-profiler 4.4",
		"settings", "Made by libflame", "--root SparkShaped"])
		is("Info has " + fact, shown.includes(fact), true);
	$("menu").hidePopover();
	let name = "";
	HTMLAnchorElement.prototype.click = function () {
		name = this.download;
	};
	key("e");
	[...$("menu").querySelectorAll("button")].find((b) =>
		b.textContent.startsWith("Folded stacks")).click();
	is("exports are called after the title", name,
		"spark-cpu-wall.jfr-cpu.folded");
	console.log("ok: the end");
