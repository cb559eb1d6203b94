/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a Spark job: a tree of rows that opens by mouse and by keys. */
	const names = () => [...document.querySelectorAll("table.tree")][0]
		.tBodies[0].rows;
	const texts = () => [...names()].map(row =>
		row.cells[0].textContent.replace(/^[▼▶]/, ""));
	const press = (key) => document.activeElement.dispatchEvent(
		new KeyboardEvent("keydown", { key, bubbles: true }));
	const number = (row) => +row.cells[1].dataset.v;
	is("what was paid is in the head",
		/^[\d,.]+ core-seconds paid$/.test(
			document.querySelector(".lead").textContent), true);
	const closed = texts().length;
	const query = [...names()].find(row => row.ariaExpanded === "true");
	is("a query is open", query.dataset.l, "0");
	const stage = query.nextElementSibling;
	is("its stage follows", stage.dataset.l, "1");
	is("and leads to its page",
		/^stages\/.*html$/.test(stage.querySelector("a").getAttribute("href")),
		true);
	is("so does what it does most, with that found", /^stages\/.*\.html#.*q=%3D/
		.test(document.querySelector("[data-l=\"1\"] .most a")
			.getAttribute("href")), true);
	is("each share of CPU says of what", [...document.querySelectorAll("th")]
		.filter(th => th.textContent.startsWith("CPU %"))
		.map(th => [th.textContent, th.title !== ""]),
		[["CPU % of cost", true], ["CPU % of paid", true]]);
	stage.querySelector("button").click();
	is("a click opens it", texts().length > closed, true);
	const stageNow = [...names()].find(row => row === stage);
	is("it is announced", stageNow.ariaExpanded, "true");
	let sum = 0;
	for (let row = stageNow.nextElementSibling; row && row.dataset.l === "2";
		row = row.nextElementSibling)
		sum += number(row);
	is("operators add up to their stage",
		Math.abs(sum - number(stageNow)) < 1e-5, true);
	press("ArrowLeft");
	is("a key closes it", texts().length, closed);
	press("ArrowLeft");
	is("and goes to what it is below",
		document.activeElement === query, true);
	press("ArrowLeft");
	is("which closes, too", texts().length < closed, true);
	const top = () => [...names()].filter(row => row.dataset.l === "0");
	is("rows are heaviest first, idle last", top().slice(0, -1)
		.every((row, i) => !i || number(row) <= number(top()[i - 1])), true);
	const paid = +document.querySelector(".lead b").textContent
		.replace(",", "");
	is("rows add up to what was paid", Math.abs(top().reduce((n, row) =>
		n + number(row), 0) - paid) < 0.06, true);
	is("a stage in the timeline is a link", document.querySelectorAll(
		".time a").length > 0, true);
	is("no row is wider than the window",
		document.documentElement.scrollWidth <= innerWidth, true);
	is("the end", 1, 1);
