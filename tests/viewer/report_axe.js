/* SPDX-License-Identifier: Apache-2.0 */
/* The report with axe-core, open and closed, light and dark. */
	for (const theme of ["light", "dark"]) {
		document.documentElement.dataset.theme = theme;
		const { violations } = await axe.run(document);
		is("axe finds nothing serious: " + theme, violations.filter((v) =>
			["serious", "critical"].includes(v.impact)).map((v) =>
			v.id + " " + v.nodes[0].html), []);
	}
	is("the end", 1, 1);
