/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page: what is dropped, chosen or pasted goes to a worker, which runs a
 * tool; the page that the tool writes is shown in a frame.
 */
const $ = (id) => document.getElementById(id);
const unpack = async (id) => {
	const bytes = Uint8Array.from(atob($(id).textContent.trim()),
		(c) => c.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(
		new DecompressionStream("gzip"))).arrayBuffer();
};
const compiled = unpack("module").then((bytes) => WebAssembly.compile(bytes));
const worker_url = URL.createObjectURL(new Blob([$("worker").textContent],
	{ type: "text/javascript" }));
let files = [], last, running, runs = 0;

const say = (text) => {
	$("messages").textContent += text;
	$("messages").hidden = !$("messages").textContent;
};
const size_of = (bytes) => bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` :
	`${(bytes / 1e6).toFixed(1)} MB`;

// A word as the shell reads it.
const quoted = (word) => /^[\w@%+=:,./-]+$/.test(word) ? word :
	`'${word.replaceAll("'", "'\\''")}'`;
const spelled = (args) => args.map(quoted).join(" ");

// Runs a tool; only one runs at a time.
const run = async (args, outputs) => {
	const module = await compiled;
	const worker = new Worker(worker_url);
	const started = performance.now();
	$("bar").removeAttribute("value");
	$("bar").hidden = $("cancel").hidden = false;
	$("state").textContent = "Reading";
	try {
		return await new Promise((resolve, reject) => {
			running = { worker, reject };
			worker.onmessage = ({ data }) => {
				if (data.said)
					say(data.said);
				else if (data.size) {
					$("bar").value = data.read / data.size;
					$("state").textContent = `${size_of(data.read)
						} of ${size_of(data.size)}`;
				} else if (data.output)
					resolve({ ...data, seconds: (performance.now() -
						started) / 1000 });
			};
			worker.onerror = (e) => reject(new Error(e.message));
			worker.postMessage({ module, args, files, outputs });
		});
	} finally {
		running = undefined;
		worker.terminate();
		$("bar").hidden = $("cancel").hidden = true;
		$("state").textContent = "";
	}
};
const stop = (why) => {
	running?.worker.terminate();
	running?.reject(new Error(why));
};

// Arguments -------------------------------------------------------------

const is_log = async ({ path, file }) =>
	/(^|\/)(eventlog_v2_|events_\d|application_|app-|local-)/.test(path) ||
	(await file.slice(0, 4096).text()).includes("SparkListenerLogStart");

const selection = () => {
	const args = [];
	for (const id of ["root", "event", "from", "to"])
		if ($(id).value)
			args.push(`--${id}`, $(id).value);
	if ($("threads").checked)
		args.push("--threads");
	return args;
};

// Paths as operands: none is read as an option.
const operands = (list) => list.map(({ path }) =>
	path.startsWith("-") ? `./${path}` : path);

const arguments_of = async (what, format, name) => {
	const output = ["-o", `${name}.${{ speedscope: "speedscope.json",
		pprof: "pb.gz", folded: "folded" }[format] || format}`];
	const written = format === "html" && !$("event").value ?
		["--events", "all"] : [];
	if (what === "report") {
		const logs = [], inputs = [];
		for (const it of files)
			(await is_log(it) ? logs : inputs).push(it);
		return ["flame-batch", ...logs.flatMap(({ path }) =>
			["--spark-events", path]), ...selection(), "--standalone",
		"-o", "report", ...operands(inputs)];
	}
	return [what === "diff" ? "flame-diff" : /html|svg/.test(format) ?
		"flame-graph" : "flame-fold", ...written, ...selection(),
	...what === "diff" ? ["-f", format] : /html|svg|folded/.test(format) ? [] :
		["-f", format], ...output, ...operands(files)];
};

// Results ---------------------------------------------------------------

const save = (blob, name) => {
	const a = document.createElement("a");
	a.href = URL.createObjectURL(blob);
	a.download = name;
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 60000);
};

// The tool that ran, in words of a shell; "" where there is none.
const tell_command = (args) => {
	$("command").textContent = spelled(args);
	$("shell").hidden = !args.length;
};

const show = (html) => {
	$("picture").srcdoc = html;
	$("picture").hidden = false;
	$("hint").hidden = true;
};

// Links of a report lead to its other pages.
const show_report = async (pages, path) => {
	const frame = $("picture"), page = pages.get(path);
	if (!page)
		return;
	frame.removeAttribute("sandbox");
	show(await page.text());
	frame.onload = () => {
		frame.dataset.page = path;
		frame.contentDocument.addEventListener("click", (e) => {
			const href = e.target.closest?.("a[href]")
				?.getAttribute("href");
			if (!href || /^([a-z]+:|#)/.test(href))
				return;
			e.preventDefault();
			show_report(pages, decodeURIComponent(new URL(
				href.split(/[?#]/)[0],
				`file:///${path}`).pathname.slice(1)));
		}, true);
	};
};

const name_of = () => files.length === 1 ? files[0].path.split("/").pop()
	.replace(/\.(gz|zst|lz4|xz|bz2)$/, "").replace(/(.)\.[^.]*$/, "$1") :
	"profile";

// Something was done: for who waits for it.
const ended = () => {
	document.documentElement.dataset.runs = ++runs;
};

// What ended badly, in words.
const explain = ({ status, failed, memory }, args) => {
	if (memory > 3.5e9 || /memory|allocation/i.test(failed))
		say("flame-drop: out of memory: a page has 4 GB at most; in " +
			`the shell there is no such limit: ${spelled(args)}\n`);
	else if (failed)
		say(`flame-drop: ${failed}\n`);
	$("state").textContent = status ? "Nothing was drawn" : "";
};

const make = async (format) => {
	const what = $("what").value, name = name_of();
	const args = await arguments_of(what, format, name);
	const at = args.indexOf("-o") + 1;
	// A page or a picture comes by standard output, which has no name.
	const piped = [...args.slice(0, at), "-", ...args[0] === "flame-graph" ?
		["-f", format] : [], ...args.slice(at + 1)];
	const result = what === "report" ? await run(args, "report") :
		await run(piped);
	return { ...result, args, file: args[at] };
};

const draw = async () => {
	stop("stopped");
	$("messages").textContent = "";
	$("messages").hidden = true;
	$("saving").hidden = $("picture").hidden = true;
	$("hint").hidden = false;
	if (!files.length)
		return;
	try {
		const result = await make("html");
		const pages = new Map(result.files.map((it) => [it.path, it.file]));
		tell_command(result.args);
		$("formats").hidden = pages.has("index.html");
		if (pages.has("index.html")) {
			await show_report(pages, "index.html");
			$("saving").hidden = false;
		} else if (result.output.size) {
			$("picture").setAttribute("sandbox",
				"allow-scripts allow-downloads allow-popups");
			$("picture").onload = null;
			show(await result.output.text());
			$("saving").hidden = false;
		} else {
			explain(result, result.args);
		}
		last = result;
	} catch (e) {
		say(`flame-drop: ${e.message}\n`);
	}
	ended();
};

const open = async (list) => {
	files = list.filter(({ file }) => file.size || list.length === 1)
		.sort((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
	const logs = await Promise.all(files.map(is_log));
	$("what").value = logs.includes(true) && logs.includes(false) ?
		"report" : "graph";
	await draw();
};

// Inputs ----------------------------------------------------------------

// All files of a folder that was dropped: by its handle in Chromium, which
// opens none by its entry where the page itself is a file.
const below = async (folder, path) => {
	const found = [];
	if (folder.values) {
		for await (const one of folder.values())
			found.push(...one.getFile ? [{ path: path + one.name,
				file: await one.getFile() }] :
				await below(one, `${path}${one.name}/`));
		return found;
	}
	const reader = folder.createReader();
	for (;;) {
		const some = await new Promise((resolve, reject) =>
			reader.readEntries(resolve, reject));
		if (!some.length)
			return found;
		for (const one of some)
			found.push(...one.isFile ? [{ path: path + one.name,
				file: await new Promise((resolve, reject) =>
					one.file(resolve, reject)) }] :
				await below(one, `${path}${one.name}/`));
	}
};
const dropped = async (item) => {
	const file = item.getAsFile(), entry = item.webkitGetAsEntry();
	if (!entry?.isDirectory)
		return [{ path: file.name, file }];
	const folder = await item.getAsFileSystemHandle?.() || entry;
	return below(folder, `${folder.name}/`);
};

const chosen = (input) => open([...input.files].map((file) =>
	({ path: file.webkitRelativePath || file.name, file })));
$("choose").onchange = (e) => chosen(e.target);
$("folder").onchange = (e) => chosen(e.target);
const toggle = (button, part) => {
	$(part).hidden = !$(part).hidden;
	$(button).ariaExpanded = String(!$(part).hidden);
};
$("options").onclick = () => toggle("options", "more");
$("paste").onclick = () => {
	toggle("paste", "pasting");
	$("text").focus();
};
$("pasting").onsubmit = (e) => {
	e.preventDefault();
	open([{ path: "pasted.txt", file: new File([$("text").value],
		"pasted.txt") }]);
};
$("more").onsubmit = (e) => {
	e.preventDefault();
	draw();
};
$("cancel").onclick = () => stop("cancelled");
$("save").onclick = async () => {
	const format = $("format").value;
	try {
		if (last.files.length) {
			save(await zip(last.files), "report.zip");
			return ended();
		}
		const result = format === "html" ? last : await make(format);
		tell_command(result.args);
		if (result.output.size)
			save(result.output, result.file);
		else
			explain(result, result.args);
	} catch (e) {
		say(`flame-drop: ${e.message}\n`);
	}
	ended();
};
let depth = 0;
const over = (by) => {
	depth = Math.max(0, depth + by);
	$("target").classList.toggle("over", depth > 0);
};
addEventListener("dragenter", () => over(1));
addEventListener("dragleave", () => over(-1));
addEventListener("dragover", (e) => e.preventDefault());
addEventListener("drop", async (e) => {
	e.preventDefault();
	depth = 0;
	over(0);
	try {
		open((await Promise.all([...e.dataTransfer.items].filter(
			(it) => it.kind === "file").map(dropped))).flat());
	} catch (error) {
		say(`flame-drop: ${error.message}: choose the files by the buttons\n`);
		ended();
	}
});
addEventListener("paste", (e) => {
	const text = e.clipboardData.getData("text");
	if (text && !/^(INPUT|TEXTAREA)$/.test(e.target.tagName))
		open([{ path: "pasted.txt", file: new File([text], "pasted.txt") }]);
});
compiled.then(() => {
	document.documentElement.dataset.ready = "yes";
}, (e) => say(`flame-drop: this browser does not run the program: ${e}\n`));
