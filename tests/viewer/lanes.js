/* SPDX-License-Identifier: Apache-2.0 */
/* Of twenty threads, sixteen have a row: the page says so.  See times. */
	await until(() => !$("first"));
	is("no row for a thread", $("lines").textContent, "Threads");
	$("lines").click();
	await pause(50);
	is("how many of the threads are shown", $("lines").textContent,
		"Threads: 16 of 20");
	$("lines").click();
	await pause(50);
	is("and not without them", $("lines").textContent, "Threads");
	console.log("ok: the end");
