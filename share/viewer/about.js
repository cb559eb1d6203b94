/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page is a picture of: its title, and the inputs with their facts,
 * which libflame/draw/html.c packs as it packs the data.
 */
import { d } from "./state.js";
import { bytesOf, unpack, utf8 } from "./data.js";
import { $ } from "./view.js";
import { below, openAt } from "./menu.js";
import { element, grouped, joined, short } from "./page.js";

const about = { version: "", options: "", warnings: [], sides: [] };
const pageTitle = document.title;
export const titleOf = () => d.title || pageTitle;
const several = (n, word) => grouped(n) + " " + word + (n === 1 ? "" : "s");

export async function loadAbout() {
	const packed = $("origins");
	if (!packed)
		return;
	const bytes = await unpack(bytesOf(packed.textContent));
	let at = 0;
	const number = () => {
		let v = 0, scale = 1, c;
		do {
			c = bytes[at++];
			v += (c & 127) * scale;
			scale *= 128;
		} while (c > 127);
		return v;
	};
	const string = () => {
		const size = number();
		at += size;
		return utf8.decode(bytes.subarray(at - size, at));
	};
	const list = (f) => Array.from({ length: number() }, f);
	about.version = string();
	about.options = string();
	about.warnings = list(string);
	about.sides = list(() => ({ name: string(), count: number(),
		inputs: list(() => ({ name: string(), format: string(),
			facts: list(() => [string(), string()]) })) }));
}

// "before" or "after", and what that is called.
export function sideName(k) {
	const word = ["Before", "After"][k], { sides } = about;
	const name = sides[1] && d.opens && sides[k].name;
	return name && name.toLowerCase() !== word.toLowerCase() ?
		word + ", " + short(name, 32) : word;
}

function factTable(facts) {
	return element("table", "", ...facts.map(([key, value]) =>
		element("tr", "", element("th", key), element("td", value))));
}

// Settings and events are many: they are opened by a line.
function factLists({ facts }) {
	const many = { setting: [], event: [] }, few = [];
	for (const [key, value] of facts)
		if (many[key])
			many[key].push(/^(.*)[ =](.*)$/s.exec(value)
				?.slice(1) || [value, ""]);
		else
			few.push([key, value]);
	return [factTable(few), ...Object.entries(many)
		.filter(([, list]) => list[0]).map(([key, list]) =>
			element("details", "", element("summary",
				several(list.length, key)), factTable(list)))];
}

export function openAbout() {
	const { version, options, warnings, sides } = about;
	const parts = [element("b", titleOf()),
		element("p", $("info").textContent)];
	sides.forEach((side, k) => {
		if (sides[1])
			parts.push(element("b", sideName(k)));
		for (const input of side.inputs)
			parts.push(element("p", input.name + " (" +
				input.format + ")"), ...factLists(input));
		if (side.count > side.inputs.length)
			parts.push(element("p", "and " + several(side.count -
				side.inputs.length, "more file")));
	});
	if (warnings[0])
		parts.push(element("b", "Damage and other remarks"),
			...warnings.map((s) => element("p", s)));
	parts.push(element("p", joined(" ", "Made by libflame", version,
		options && "with " + options)));
	openAt(below("about"), element("article", "", ...parts));
}
