/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only script that a page holds as text: it unpacks the viewer, which is
 * gzip in base 85 in the element #viewer (see embed.sh), and runs it.  The
 * page's policy names the hashes of both.
 */
(async () => {
	const text = document.getElementById("viewer").textContent;
	const pad = text.length % 5, n = (text.length - pad) / 5;
	const packed = new DataView(new ArrayBuffer(4 * n));
	// "(" is 0, and so on; "!" stands for "<".
	const add = (v, c) => v * 85 + (c === "!" ? 20 : c.charCodeAt() - 40);
	for (let i = 0; i < n; i++)
		packed.setUint32(4 * i, [...text.substr(5 * i, 5)]
			.reduce(add, 0));
	const stream = new Blob([packed.buffer.slice(0, 4 * n - pad)]).stream()
		.pipeThrough(new DecompressionStream("gzip"));
	const script = document.createElement("script");
	script.textContent = await new Response(stream).text();
	document.body.append(script);
})().catch((e) => {
	document.getElementById("note").textContent =
		"A picture of the widest frames: this browser cannot run " +
		"the page's script (" + e.message + ").";
});
