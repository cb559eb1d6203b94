/* SPDX-License-Identifier: Apache-2.0 */
/* As diffs.js, where options have set how the page opens. */
	while ($("first"))
		await pause(5);
	const set = () => [$("larger").ariaPressed, $("by").value,
		$("norm").value, $("noise").value, location.hash];
	is("as its options say", set(),
		["true", "total", "time", "0.5", ""]);
	$("after").click();
	$("norm").value = "none";
	$("norm").dispatchEvent(new Event("change"));
	await rest();
	is("what is other is linked", location.hash, "#w=after&n=none");
	await back();
	await pause(200);
	is("and back it is as it was", set(),
		["true", "total", "time", "0.5", ""]);
	is("the end", 1, 1);
