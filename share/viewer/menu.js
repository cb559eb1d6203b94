/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be done with a function or frame, by menu or key; the steps taken;
 * what can be exported; the keys.
 */
import { max, min } from "./numbers.js";
import { d, modes, view } from "./state.js";
import { ruleNames } from "./rewrite.js";
import { $, alter, boxOf, isCaller, on, rectOf, remember, sandwich, wayTo,
	zoom } from "./view.js";
import { isHidden } from "./trunk.js";
import { profiles, tellInfo } from "./profiles.js";
import { captionOf } from "./draw.js";
import { find, search } from "./search.js";
import { diff, diffKeys } from "./diff.js";
import { rowAt, tree } from "./tree.js";
import { button, classOf, csv, lineOf, packageOf, showLines, showPane }
	from "./pane.js";
import { picks, stepText } from "./time.js";
import { copy, folded, picture, save, savePng, stackOf, announce }
	from "./export.js";
import { fingers } from "./pointer.js";
import { amount, element, grouped, hoverAt, joined, leave, nameOf, percent,
	reset, setCurrent, short } from "./page.js";

// Label, key, what it does with a symbol and, where there is one, a node.
export const actions = [
	["Zoom", "Enter", (s, i) => zoom(i), true],
	["Callers and callees", "s", (s) => sandwich(s)],
	["Focus on it", "f", (s) => take("focus", s)],
	["Hide it", "h", (s) => take("hide", s)],
	["Drop stacks with it", "x", (s) => take("drop", s)],
	["Fold what it calls", "o", (s) => take("cut", s)],
	["Fold all recursion", "R", () => takeText("recursion", "")],
	["Mark all of it", "m", (s) => find("=" + d.names[s])],
	["Copy name", "c", (s) => copy(d.names[s])],
	["Copy stack", "C", (s, i) => copy(stackOf(i).join("\n")), true],
	["Copy link", "l", () => copy(location.href.split("#")[0] +
		remember())],
	["Table by line", "L", (s) => showLines(s)],
	["Open source", "u", (s) => openSource(s)],
];
const moreKeys = [
	["Search; next, previous match", "/ n N"],
	["Zoom to the match", "Alt Enter"],
	["Back, forward", "[ ]"],
	["Zoom out; all", "Esc 0"],
	["Walk the frames", "← ↑ ↓ →"],
	["Keep the details", "Space"],
	["Closer, farther, sideways", "+ − Shift ←→"],
	["Views", modes[5] ? "1–6 i r" : "1–5 i r"],
	["Table, overview, export", "t v e"],
	["About this profile", "I"],
	["Heaviest first, or by name", "w"],
	["Fold, open runs of single calls", "F"],
	["Colours; dark or light", "k d"],
];

const mouse = [
	["Zoom; callers and callees", "Click; double click"],
	["What can be done with it", "Right click, long press"],
	["In the table and the legend: only it", "Click"],
	["Stacks without it", "Alt click"],
];
const timeMouse = [
	["Choose a span in the heat map", "Drag"],
	["Compare it with a second span", "Shift drag"],
	["Only a thread, or without it", "Click, Alt click on its name"],
	["Flame chart: closer, sideways", "Ctrl wheel; drag, Shift wheel"],
	["The time of a call", "Click"],
	["Flame chart: open or close a thread", "Click on its name; ↑ ↓ Enter"],
];

/*
 * --source-url: {name}, {class}, {package}, {method}, {file}, {line}, and
 * {path} of what is written on a frame: "a.B$C.d" is of a/B.
 */
export const sourceUrl = document.querySelector("meta[name=source-url]");

function urlOf(s) {
	const name = d.names[s], [text, , at] = captionOf(s);
	const type = classOf(s);
	const m = /([^\s(:]+\.\w+)?:(\d+)\)?(?:_\[.\])?$/.exec(name) || [];
	const values = [name, type, packageOf(s), text.slice(at), m[1], m[2],
		type.split("$")[0].replaceAll(".", "/")];
	return sourceUrl.content.replace(/\{(\w+)\}/g, (all, key) => {
		const k = "name class package method file line path"
			.split(" ").indexOf(key);
		return k < 0 ? all : (values[k] || "").split("/")
			.map(encodeURIComponent).join("/");
	});
}

export function openSource(s) {
	const a = element("a");
	if (!sourceUrl || !s)
		return;
	a.href = urlOf(s);
	a.target = "_blank";
	a.click();
}

// Where the name has a line: a link to it.
export function sourceLink(s) {
	const at = /([^\s(:/]+\.\w+)?:(\d+)\)?$/.exec(d.names[s]);
	return sourceUrl && at ? [Object.assign(element("a", "Source: " +
		joined(":", at[1], at[2])), { href: urlOf(s),
		target: "_blank" })] : [];
}

// In sight.
export function putAt({ style, offsetWidth }, x, y) {
	style.left = max(min(x, innerWidth - offsetWidth - 8), 4) + "px";
	style.top = max(y, 4) + "px";
}

// Where a pointer is, or a place of that shape.
export function openAt({ clientX: x, clientY: y }, ...children) {
	const menu = $("menu");
	leave();
	menu.hidePopover();
	menu.replaceChildren(...children);
	// What only informs has no items; it is scrolled by keys.
	const chooses = menu.querySelector("[role=menuitem]");
	Object.assign(menu, chooses ? { role: "menu", tabIndex: -1 } :
		{ role: "dialog", tabIndex: 0 });
	menu.ariaLabel = chooses ? "Menu" : "Details";
	menu.showPopover();
	putAt(menu, x, min(y, innerHeight - menu.offsetHeight - 8));
	(menu.querySelector("button, input") || menu).focus();
}

function item(text, does, key) {
	return button(text, () => {
		$("menu").hidePopover();
		does();
	}, { role: "menuitem" }, element("kbd", key));
}

export function openMenu(e, s, i) {
	const [text, at] = captionOf(s);
	openAt(e, element("b", short(text.slice(at), 60)),
		...actions.filter((a) => (i > 0 || !a[3]) &&
			(sourceUrl || a[1] !== "u") &&
			(lineOf(s)[1] || a[1] !== "L")).map(([name, key, does]) =>
			item(name, () => does(s, i), key)));
}

let menuByKey = false;

// The frame that the arrows chose, or the zoomed one; 0: none.
function chosen() {
	return view.current >= 0 ? view.current : tree.open ? tree.at :
		view.focus;
}

function tellToChoose() {
	announce("Choose a frame first, by the pointer or the arrow keys");
}

// The menu of the chosen frame, which stays chosen.
function openMenuAtCurrent() {
	const i = chosen(), main = rectOf("main");
	if (!i) {
		tellToChoose();
		return;
	}
	if (tree.open) {
		openMenu(below("row" + i), d.name[i], i);
		return;
	}
	const [x, y, , h] = boxOf(i);
	openMenu({ clientX: main.left + x, clientY: main.top + y + h },
		d.name[i], i);
	setCurrent(i);
}

// What can be done with a row of the table that is not a function.
export function openGroup(e, text) {
	openAt(e, element("b", short(text, 60)),
		item("Callers and callees", () => sandwich(0, text)),
		item("Only", () => takeText("only", text)),
		item("Mark all of it", () => find(text)),
		item("Hide it", () => takeText("hide", text)),
		item("Drop stacks with it", () => takeText("drop", text)),
		item("Copy name", () => copy(text.replace(/^[a-z]*:/, ""))));
}

export function below(id) {
	const box = rectOf(id);
	return { clientX: box.left, clientY: box.bottom + 4 };
}

export function openExport() {
	openAt(below("export"),
		item("Picture, SVG", () => save("svg", [picture()])),
		item("Picture, PNG", savePng),
		item("Folded stacks", () => save("folded", folded())),
		item("Copy folded stacks", () => copy(folded().join(""))),
		item("Table, CSV", () => {
			showPane(true);
			save("csv", [csv()]);
		}));
}

// What can be done, in groups; a search leaves what has its text.
export function openHelp() {
	const keys = moreKeys.concat(d.compares ? diffKeys : [],
		d.moments ? [["Earlier, later; longer", ", . < >"]] : [],
		profiles.pages[1] ? [["Next event", "E"]] : [],
		$("site") ? [["Next, previous page; report", "j J U"]] : []);
	const lines = (head, list) => element("table", "",
		element("caption", head), ...list.map((k) => element("tr", "",
			element("td", k[0]), element("th", k[1]))));
	const groups = element("div", "", lines("Keys", keys), lines(
		"Keys for the chosen frame", actions.slice(1, sourceUrl ? 99 :
			-1)), lines("Mouse", mouse.concat(
		d.moments ? timeMouse : [])));
	const sift = element("input");
	sift.placeholder = sift.ariaLabel = "Search the help";
	sift.oninput = () => groups.querySelectorAll("tr").forEach((e) =>
		e.hidden = !e.textContent.toLowerCase().includes(
			sift.value.toLowerCase()));
	openAt(below("help"), sift, groups);
}

// By key: with the frame under the pointer or the arrows, or the zoomed one.
export function actByKey(key) {
	const i = chosen();
	const [, , does] = actions.find((a) => a[1] === key);
	if (i || "Rls".includes(key))
		does(d.name[i], i);
	else
		tellToChoose();
}

function menuKey(e) {
	const list = [...$("menu").querySelectorAll("button")];
	const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
	const named = e.key.length < 2 && !e.ctrlKey && !e.metaKey &&
		!e.altKey && list.find((b) => b.lastChild.textContent === e.key);
	e.stopPropagation();
	if (named) {
		e.preventDefault();
		named.click();
		return;
	}
	if (!by || !list[0])
		return;
	e.preventDefault();
	list.at((list.indexOf(document.activeElement) + by) % list.length)
		.focus();
}

// One more step; once more: without it.
function take(kind, s) {
	takeText(kind, d.names[s]);
}

export function takeText(kind, text) {
	const others = view.steps.filter((step) => step.kind !== kind ||
		step.text !== text);
	alter(others.length < view.steps.length ? others :
		others.concat({ kind, text }));
}

const WAY = 7;	// crumbs that are shown

// The way to the zoomed frame; those in the middle are in one crumb.
export function showWay() {
	const path = wayTo(view.focus).filter((i) => !isHidden(i));
	const text = (i) => {
		const [name, at] = captionOf(d.name[i]);
		return i || d.split ? short(name.slice(at), 40) : "all";
	};
	const between = path.splice(0, max(path.length - WAY, 0));
	const crumbs = path.map((i) => button(text(i), () => zoom(i),
		{ title: nameOf(i, 300) }));
	if (between[0])
		crumbs.unshift(button("…", (e) => openAt(e, ...between.map(
			(i) => item(text(i), () => zoom(i)))),
		{ title: grouped(between.length) + " frames" }));
	$("crumbs").replaceChildren(button(text(0), reset,
		{ title: "Reset zoom (0)" }), ...crumbs);
	$("crumbs").lastChild.ariaCurrent = true;
	$("crumbs").className = isCaller(view.focus) ? "back" : "";
}

export function showSteps() {
	const chips = view.steps.map((step) => {
		const s = d.names.findIndex((name) => step.text ===
			(step.kind === "only" ? "=" + name : name));
		const [text, at] = picks.includes(step.kind) ?
			[stepText(step), 0] : s < 0 ? [step.text, 0] :
			captionOf(s);
		return button(d.compares && step.kind === "t" ? "Before" :
			ruleNames[step.kind], () => alter(view.steps.filter(
			(other) => other !== step)),
		{ title: "Remove: " + short(step.text, 300) },
		element("b", short(text.slice(at), 60)), "✕");
	});
	const [part, sum] = [view.whole, view.given].map((g) =>
		(g.columns[diff.column] || g.columns[0]).total[0]);
	$("steps").hidden = !chips.length;
	$("steps").replaceChildren(...chips, element("span", amount(part) +
		", " + percent(part, sum) + " of the profile"));
	tellInfo();
}

export function listenMenu() {
	on("menu", "keydown", menuKey);
	for (const [id, kind] of [["only", "only"], ["without", "drop"]])
		on(id, "click", () => {
			const { text, guessed } = search;
			find("");
			takeText(kind, guessed ? "/" + text + "/" : text);
		});
	on("canvas", "contextmenu", (e) => {
		e.preventDefault();
		if (menuByKey) {
			openMenuAtCurrent();
			return;
		}
		const i = hoverAt(e);
		if (i > 0 && !fingers.size)
			openMenu(e, d.name[i], i);
	});
	on("rows", "contextmenu", (e) => {
		const i = rowAt(e);
		e.preventDefault();
		if (menuByKey)
			openMenuAtCurrent();
		else if (i > 0)
			openMenu(e, d.name[i], i);
	});
	// By key, where nothing has the focus.
	addEventListener("contextmenu", (e) => {
		if (!menuByKey || e.target !== document.body)
			return;
		e.preventDefault();
		openMenuAtCurrent();
	});
	// Browsers do not say in the same way what asked for a menu.
	addEventListener("keydown", ({ key, shiftKey }) => {
		menuByKey = key === "ContextMenu" || (key === "F10" && shiftKey);
	}, true);
	addEventListener("pointerdown", () => menuByKey = false, true);
}
