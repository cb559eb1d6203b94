/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a page: the profile, what of it is looked at, and where the
 * pointer is.  What only one part changes is in its own object: search, tree,
 * chart, diff, trunk, pane, profiles.
 */
export let d;				// the profile, and the nodes in view
export const view = {
	given: null, whole: null,	// d's own nodes; with the steps applied
	expanded: null,	// see subtree.js
	settled: "",	// for what d has its nodes
	mode: "", method: 0,	// of the sandwich
	theme: "", color: "",	// that were asked for here, or by the link
	group: "",		// or "pkg:java.util": instead
	steps: [],		// see rewrite.js
	heavy: true,		// siblings by weight, not by name
	focus: 0, x0: 0, x1: 1, icicle: false, rows: 1,
	width: 1, height: 1,	// of the canvas, in CSS pixels
	row: 20, tall: 1,	// of a frame; of everything
	top: 0,		// pixels above the canvas, scrolled out of view
	moving: 0,	// the next frame of an animation
	pushed: 0,	// entries of the history
	current: -1,	// the frame that the pointer or the arrow keys are at
	pointer: -1,	// where on the canvas the pointer is, or -1
	pinned: false,	// with Space the tooltip stays
	dragged: false,	// the next click is the end of a drag
	ctx: null, family: "",	// of the canvas; its font
	look: null, paper: 0, inks: null, hatches: [],	// see draw.js
};
export const modes = ["flame", "icicle", "tree", "callers", "sandwich"];

export function setProfile(profile) {
	d = profile;
}
