/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only script that a page holds as text: it unpacks the viewer, which is
 * base64 of gzip in the element #viewer, and runs it.  The page's policy
 * names the hashes of both.
 */
(async () => {
	const packed = Uint8Array.from(
		atob(document.getElementById("viewer").textContent),
		(c) => c.charCodeAt(0));
	const stream = new Blob([packed]).stream()
		.pipeThrough(new DecompressionStream("gzip"));
	const script = document.createElement("script");
	script.textContent = await new Response(stream).text();
	document.body.append(script);
})().catch((e) => {
	document.getElementById("note").textContent =
		"A picture of the widest frames: this browser cannot run " +
		"the page's script (" + e.message + ").";
});
