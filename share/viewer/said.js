/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the whole picture shows, in the line of words that draw/said.c wrote:
 * shares, each with a link to its frames.  Steps show other stacks: no line,
 * unless they choose the stacks that the shares are of.
 */
import { d, view } from "./state.js";
import { $ } from "./view.js";
import { find } from "./search.js";
import { button } from "./pane.js";
import { takeText } from "./menu.js";

const TASKS = "Executor$TaskRunner.run";
let saidOf = null;	// the profile of the line

// A share of tasks is found among their stacks, another one among all.
function mark(text, tasks) {
	if (tasks === !view.steps[0])
		takeText("only", TASKS);
	find(text);
}

export function fillSaid() {
	const said = $("said");
	let tasks = false;
	said.hidden = !d.said[0] || view.steps.some((s) => s.text !== TASKS);
	if (saidOf === d)
		return;
	saidOf = d;
	said.replaceChildren(...d.said.flatMap(([before, word, text]) => {
		const of = tasks = !before.includes(". Of all") && (tasks ||
			before.includes(" of tasks' "));
		return [before, ...word ? [button(word, () => mark(text, of),
			{ title: "Mark it" })] : []];
	}));
}
