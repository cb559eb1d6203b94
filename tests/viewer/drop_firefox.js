/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in flame-drop.html in Firefox; RECORDING and PICTURE are of drop_firefox. */
	const page = document.documentElement.dataset;
	const wait_for = async (holds) => {
		for (let i = 0; i < 6 && !holds(); i++)
			await until(holds);
	};
	let refused = "";
	addEventListener("securitypolicyviolation", (e) =>
		refused = e.effectiveDirective);
	await wait_for(() => page.ready);
	const choose = async (name, bytes) => {
		const list = new DataTransfer(), runs = Number(page.runs || 0);
		list.items.add(new File([bytes], name));
		$("choose").files = list.files;
		$("choose").dispatchEvent(new Event("change"));
		await wait_for(() => page.runs > runs);
	};
	await choose("spark-cpu-wall.jfr", Uint8Array.from(atob(RECORDING), (c) =>
		c.charCodeAt(0)));
	const sum = new Uint8Array(await crypto.subtle.digest("SHA-256",
		new TextEncoder().encode($("picture").srcdoc)));
	is("the picture is that of flame-graph", [...sum].map((b) =>
		b.toString(16).padStart(2, "0")).join(""), PICTURE);
	is("without a message", $("messages").textContent, "");
	await choose("bad.jfr", "FLR");
	is("a bad file has a message", /^flame-graph: bad\.jfr: /.test(
		$("messages").textContent), true);
	is("and no picture", $("picture").hidden, true);
	is("nothing was refused so far", refused, "");
	const sent = await fetch("http://127.0.0.1:9/").then(() => "sent", () =>
		"refused");
	await until(() => refused);
	is("a connection is refused by the policy", [sent, refused],
		["refused", "connect-src"]);
	console.log("ok: the end");
