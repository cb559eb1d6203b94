/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of rows: they open, sort, filter, and are drawn as they come into view.
   Without this all rows of the page stand there, open. */
"use strict";
{
	const STEP = 100;
	const collator = new Intl.Collator("en", { numeric: true });
	const template = document.createElement("template");
	const parse = (html) => {
		template.innerHTML = html;
		return template.content.firstChild;
	};

	// Of a cell: its number, else its text.
	const valueOf = (row, column) => {
		const cell = row.element.cells[column];
		return "v" in cell.dataset ? +cell.dataset.v : cell.textContent;
	};

	const compare = (a, b) => typeof a === "number" && typeof b === "number" ?
		a - b : collator.compare(a, b);

	class Row {
		constructor(source) {
			this.source = source;
			this.children = [];
			this.level = typeof source === "string" ?
				+/data-l="(\d)"/.exec(source)[1] : +source.dataset.l;
			this.isOpen = false;
		}

		get element() {
			if (!this.made)
				this.made = typeof this.source === "string" ?
					parse(this.source) : this.source;
			return this.made;
		}

		get text() {
			return this.element.textContent;
		}
	}

	class Tree {
		constructor(table, sources) {
			this.table = table;
			this.body = table.tBodies[0];
			this.heads = [...table.tHead.rows[0].cells];
			this.top = [];
			this.wanted = null;
			this.count = 0;
			const stack = [];
			for (const source of sources) {
				const row = new Row(source);
				stack.length = Math.min(stack.length, row.level);
				const parent = stack.at(-1);
				(parent ? parent.children : this.top).push(row);
				stack.push(row);
				this.count++;
			}
			// What is open at first: the heaviest of many, or all of few.
			const stages = this.top.reduce((n, row) =>
				n + row.children.length, 0);
			this.top.forEach((row, i) => {
				row.isOpen = stages <= 12 || (i === 0 && stages <= 500);
			});
			this.flat = !this.top.some((row) => row.children.length);
			table.setAttribute("role", "treegrid");
			table.tHead.setAttribute("role", "rowgroup");
			this.heads.forEach((head, i) => this.makeHead(head, i));
			this.rest = document.createElement("p");
			this.rest.className = "note";
			table.parentNode.after(this.rest);
			this.seen = new IntersectionObserver((entries) => {
				if (entries.at(-1).isIntersecting)
					this.draw();
			}, { rootMargin: "900px" });
			this.body.addEventListener("keydown", (event) => this.onKey(event));
			this.body.addEventListener("click", (event) => this.onClick(event));
			this.list();
		}

		makeHead(head, column) {
			const button = document.createElement("button");
			button.append(...head.childNodes);
			head.append(button);
			button.addEventListener("click", () => this.sort(column));
		}

		// The rows that are to be seen, in order.
		list() {
			const listed = [];
			const add = (rows) => {
				for (const row of rows) {
					if (this.wanted && !this.shown.has(row))
						continue;
					listed.push(row);
					if (row.children.length && (row.isOpen || this.wanted))
						add(row.children);
				}
			};
			add(this.top);
			this.listed = listed;
			this.n = 0;
			this.body.replaceChildren();
			this.draw();
		}

		draw() {
			const end = Math.min(this.n + STEP, this.listed.length);
			const more = document.createDocumentFragment();
			for (; this.n < end; this.n++)
				more.append(this.finish(this.listed[this.n]));
			this.body.append(more);
			this.seen.unobserve(this.rest);
			const left = this.n < this.listed.length;
			this.rest.textContent = left ?
				`${this.n} of ${this.listed.length} rows, more below` : "";
			if (left)
				this.seen.observe(this.rest);
		}

		finish(row) {
			const element = row.element, first = element.cells[0];
			element.row = row;
			element.tabIndex = element === this.at ? 0 : -1;
			if (!this.at) {
				this.at = element;
				element.tabIndex = 0;
			}
			element.ariaLevel = row.level + 1;
			if (!row.children.length) {
				first.classList.toggle("shut", !this.flat);
				return element;
			}
			if (!first.classList.contains("open")) {
				const button = document.createElement("button");
				button.tabIndex = -1;
				first.classList.add("open");
				first.prepend(button);
			}
			const open = row.isOpen || Boolean(this.wanted);
			element.ariaExpanded = open;
			first.firstChild.textContent = open ? "▼" : "▶";
			first.firstChild.ariaLabel = open ? "Close" : "Open";
			return element;
		}

		toggle(row, open) {
			if (!row.children.length || row.isOpen === open)
				return;
			row.isOpen = open;
			const y = row.element.getBoundingClientRect().top;
			const n = this.n;
			this.list();
			while (this.n < Math.min(n, this.listed.length))
				this.draw();
			scrollBy(0, row.element.getBoundingClientRect().top - y);
			this.focus(row.element);
		}

		focus(element) {
			if (!element)
				return;
			if (this.at)
				this.at.tabIndex = -1;
			this.at = element;
			element.tabIndex = 0;
			element.focus();
		}

		onClick(event) {
			const element = event.target.closest("tr");
			if (element && event.target.closest("button"))
				this.toggle(element.row, !element.row.isOpen);
		}

		onKey(event) {
			const element = event.target.closest("tr"), row = element.row;
			const link = element.querySelector("a");
			const act = {
				ArrowDown: () => this.focus(element.nextElementSibling),
				ArrowUp: () => this.focus(element.previousElementSibling),
				ArrowRight: () => this.toggle(row, true),
				ArrowLeft: () => row.isOpen && row.children.length ?
					this.toggle(row, false) : this.focus(this.parentOf(element)),
				Enter: () => link && event.target === element ? link.click() :
					null,
			}[event.key];
			if (!act || (event.key === "Enter" && event.target !== element))
				return;
			event.preventDefault();
			act();
		}

		parentOf(element) {
			const { level } = element.row;
			while (element && element.row.level >= level)
				element = element.previousElementSibling;
			return element;
		}

		sort(column) {
			const head = this.heads[column];
			const text = typeof valueOf(this.top[0], column) === "string";
			const up = head.ariaSort ? head.ariaSort === "descending" : text;
			this.heads.forEach((other) => other.removeAttribute("aria-sort"));
			head.ariaSort = up ? "ascending" : "descending";
			const order = (rows) => {
				const pairs = rows.map((row) => [valueOf(row, column), row]);
				pairs.sort((a, b) => (up ? 1 : -1) * compare(a[0], b[0]));
				pairs.forEach(([, row], i) => {
					rows[i] = row;
					order(row.children);
				});
			};
			order(this.top);
			this.list();
		}

		// Rows that match, what they are below, and all below them.
		filter(wanted) {
			this.wanted = wanted;
			this.shown = new Set();
			let n = 0;
			const visit = (row, above) => {
				const own = above || wanted.test(row.text);
				let any = own;
				for (const child of row.children)
					any = visit(child, own) || any;
				if (any)
					this.shown.add(row);
				n += own ? 1 : 0;
				return any;
			};
			if (wanted)
				this.top.forEach((row) => visit(row, false));
			this.list();
			return wanted ? n : this.count;
		}
	}

	// Without the file that has all rows of a large site: its first ones.
	const all = typeof flameRows === "undefined" ? null : flameRows;
	const trees = [...document.querySelectorAll("table.tree")].map((table) => {
		const { rows } = table.dataset;
		const tree = new Tree(table, rows && all ?
			all[rows].trim().split("\n") : [...table.tBodies[0].rows]);
		if (rows && !all) {
			const note = document.createElement("p");
			note.className = "note";
			note.textContent = "The first rows: data/rows.js, which has " +
				"all of them, is not beside this page";
			table.parentNode.before(note);
		}
		return tree;
	});

	const filter = document.querySelector("#filter");
	if (filter) {
		filter.closest(".tools").hidden = false;
		filter.addEventListener("input", () => {
			let wanted;
			try {
				wanted = filter.value ? new RegExp(filter.value, "i") : null;
			} catch {
				filter.setAttribute("aria-invalid", "true");
				return;
			}
			filter.removeAttribute("aria-invalid");
			const found = trees.reduce((n, tree) => n + tree.filter(wanted), 0);
			const all = trees.reduce((n, tree) => n + tree.count, 0);
			document.querySelector("output").textContent = wanted ?
				`${found} of ${all}` : "";
		});
		addEventListener("keydown", (event) => {
			if (event.key === "/" && event.target.tagName !== "INPUT") {
				event.preventDefault();
				filter.focus();
			}
		});
	}

	// Light or dark, other than the system's.
	const button = document.querySelector("#theme");
	const root = document.documentElement;
	const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" :
		matchMedia("(prefers-color-scheme: dark)").matches;
	button.hidden = false;
	button.addEventListener("click", () => {
		root.dataset.theme = isDark() ? "light" : "dark";
	});
}
