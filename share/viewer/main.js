/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the page's script begins.  Without it all modules can be loaded
 * elsewhere: nothing happens before start().
 */
import { start } from "./page.js";
import { $ } from "./view.js";

start().catch((e) => {
	$("note").textContent = "A picture of the widest frames, as the " +
		"page's data are damaged: " + e.message;
});
