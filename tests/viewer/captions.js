/* SPDX-License-Identifier: Apache-2.0 */
/* As check.js, in a page of names as languages have them. */
	const rows = () => [...document.querySelectorAll("#list [id]")]
		.map((row) => row.lastChild.textContent);
	while ($("first"))
		await pause(5);
	key("t");
	await pause(100);
	is("captions, each without what is before Class.method", rows(), [
		"C.run  a.b",
		"C$D.flush  io.netty",
		"Foo.map λ1  s",
		"B$λ.run  a",
		"B.foo λ3  a",
		"vector::push_back  std:",
		"Foo::operator()",
		"drop",
		"func",
		"libc.so.6  /usr/lib",
		"[main tid=3]",
		"😀::z  λ:",
		"a\ufffdevil",
	]);
	key("?");
	const help = $("menu").querySelector("input");
	help.value = "DARK";
	help.dispatchEvent(new Event("input"));
	is("the help is searched", [...$("menu").querySelectorAll(
		"tr:not([hidden])")].map((row) => row.textContent),
	["Colours; dark or lightk d"]);
	$("menu").hidePopover();
	location.hash = "v=sandwich&m=pkg:a.b";
	await rest();
	is("a group is called as it is searched",
		$("crumbs").firstChild.textContent, "pkg:a.b");
	location.hash = "v=sandwich&m=a/b/C.run";
	await rest();
	is("a function by its caption", $("crumbs").firstChild.textContent,
		"C.run");
	location.hash = "";
	await rest();
	search("=func (file.py:12)");
	await rest();
	key("n");
	key(" ");
	const source = $("tip").querySelector("a");
	is("a known line is a link", [source?.textContent, source?.href],
		["Source: file.py:12", "https://host/12"]);
	key("Escape");
	is("the end", 1, 1);

	function search(text) {
		$("search").value = text;
		$("search").dispatchEvent(new Event("input"));
	}
