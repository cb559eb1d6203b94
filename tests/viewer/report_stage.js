/* SPDX-License-Identifier: Apache-2.0 */
/* A stage's page of a report: its panel Info has when it ran and its bill. */
	await until(() => !$("first"));
	is("a link leads back", document.querySelector("#site [rel=up]")
		.getAttribute("href"), "../index.html");
	is("and one to a neighbour", /^[^/]*\.html$/.test(document.querySelector(
		"#site [rel=prev], #site [rel=next]").getAttribute("href")), true);
	const links = [...document.querySelectorAll("#site a")], went = [];
	document.querySelector("#site").addEventListener("click", (e) => {
		went.push(e.target.rel);
		e.preventDefault();
	});
	key("U");
	key("j");
	key("J");
	is("keys go where the links do", went, ["up", "next", "prev"].filter(
		(rel) => links.some((a) => a.rel === rel)));
	key("?");
	is("the help lists them", /previous page; report/.test(
		document.querySelector("#menu").textContent), true);
	key("I");
	const text = document.querySelector("#menu").textContent;
	const rows = Object.fromEntries([...document.querySelectorAll(
		"#menu tr")].map(row => [...row.cells].map(c => c.textContent)));
	is("Info begins with the stage", /stage \d+ \(Spark's event log\)/
		.test(text), true);
	is("it says when it ran", /^\d{4}-\d\d-\d\d /.test(rows.started), true);
	is("and for how long", /^[\d.]+ s$/.test(rows.duration), true);
	is("what it cost", /^[\d.]+ core-seconds$/.test(
		rows["paid for its tasks"]), true);
	is("the recordings", text.includes("plan.jfr (input)"), true);
	is("and the options", text.includes("key=stage"), true);
	console.log("ok: the end");
