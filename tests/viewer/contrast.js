/* SPDX-License-Identifier: Apache-2.0 */
/* As check.js, for a reader who asked for more contrast. */
	while ($("first"))
		await pause(5);
	await pause(100);
	const c = $("canvas"), box = c.getContext("2d");
	const { data } = box.getImageData(0, c.height - 50, c.width, 1);
	const edges = [];
	for (let x = 0; x < c.width; x++)
		if (data.slice(4 * x, 4 * x + 3).join() === "140,149,159")
			edges.push(x);
	is("frames have edges", [edges[0], edges.length > 3], [0, true]);
	is("the end", 1, 1);
