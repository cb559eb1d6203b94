/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the colours stand for, on the screen: the heaviest kinds, packages or
 * libraries; each selects the stacks with it, or (Alt) leaves them out.  Beside
 * it, what colours go by and the order of siblings.
 */
import { d, view } from "./state.js";
import { $, measure } from "./view.js";
import { flipTrunk, trunk } from "./trunk.js";
import { drawSoon, fillOf } from "./draw.js";
import { diff, fillMost } from "./diff.js";
import { tree } from "./tree.js";
import { button, tabs } from "./pane.js";
import { legend } from "./export.js";
import { fillSaid } from "./said.js";
import { takeText } from "./menu.js";
import { element, grouped, keys } from "./page.js";

export const key = { of: null, said: "", theme: null };

function keyEntry([color, name, full]) {
	const swatch = element("u"), [prefix] = tabs.get(d.colored);
	swatch.style.background = fillOf(color);
	if (full === "(none)")
		return element("span", "", swatch, "other");
	const text = prefix + full;
	// Of a package the end says most.
	if (prefix === "pkg:")
		name = name.split(".").slice(-2).join(".");
	return button("", (e) => takeText(e.altKey ? "drop" : "only", text), {
		title: full + ": only stacks with it; Alt: without it",
		ariaPressed: view.steps.some((s) => s.text === text),
	}, swatch, name);
}

function fillKey() {
	const order = view.heavy ? "Heaviest first" : "By name";
	key.of = view.whole;
	$("key").replaceChildren(
		...diff.step ? [] : legend().map(keyEntry),
		button("Colour: " + (view.color || d.families ?
			d.colored.toLowerCase() : "as made"), () => keys.k(),
		{ title: "Colour by kinds, packages or libraries (k)",
			hidden: d.compares }),
		button(trunk.folded ? grouped(trunk.first.size) + " folded" :
			"Fold runs", flipTrunk, { title:
			"Rows that only lead on: fold them or open all (F)",
			ariaPressed: trunk.folded,
			hidden: tree.open || (trunk.folded &&
			!trunk.first.size && !trunk.opened.size) }),
		button(order, () => keys.w(), { title:
			"Order: heaviest first, or by name (w)" }));
	measure();
	drawSoon();
}

// Once what is drawn is on the screen, if it changed what the key says.
export function keySoon() {
	const { focus } = view;
	const said = [d.colored, view.heavy, !!diff.step, diff.scale, diff.noise,
		view.mode].join();
	const same = key.of === view.whole && key.said === said &&
		key.theme === view.look;
	if (same && key.focus === focus)
		return;
	Object.assign(key, { of: view.whole, said, theme: view.look, focus });
	setTimeout(() => {
		if (!same) {
			fillMost();
			fillSaid();
		}
		fillKey();
	}, 30);
}
