/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the whole picture shows, in the line of words that draw/said.c wrote:
 * shares, each with a link to its frames.  Steps show other stacks: no line.
 */
let saidOf = null;	// the profile of the line

function fillSaid() {
	const said = $("said");
	said.hidden = !d.said[0] || view.steps.length > 0;
	if (saidOf === d)
		return;
	saidOf = d;
	said.replaceChildren(...d.said.flatMap(([before, word, text]) => [before,
		...word ? [button(word, () => find(text), { title: "Mark it" })] :
			[]]));
}
