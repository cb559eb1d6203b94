/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the tools for the page, one run for each message:
 *
 *	{ module, args, files: [{ path, file }], outputs }
 *
 * and answers with { read, size } as bytes are read, { said } for what the tool
 * says, and at last { status, output, files }: outputs is the folder whose
 * files are wanted.
 */
onmessage = ({ data: { module, args, files, outputs } }) => {
	const size = files.reduce((sum, { file }) => sum + file.size, 0);
	const printed = [], decoder = new TextDecoder();
	let read = 0, reported = 0;
	const onRead = (n) => {
		read += n;
		const now = performance.now();
		if (now - reported < 50)
			return;
		reported = now;
		postMessage({ read, size });
	};
	const system = new System(args, (fd, bytes) => {
		if (fd === 1)
			printed.push(bytes);
		else
			postMessage({ said: decoder.decode(bytes, { stream: true }) });
	});
	for (const { path, file } of files)
		system.add(path, new Lying(file, onRead));
	let status = 2, failed = "";
	try {
		status = system.run(module);
	} catch (e) {
		failed = String(e);
	}
	const written = [];
	for (const [path, node] of system.nodes)
		if (outputs && node instanceof Written &&
			path.startsWith(outputs + "/"))
			written.push({ path: path.slice(outputs.length + 1),
				file: new Blob([node.read(0, node.size)]) });
	postMessage({ status, failed, output: new Blob(printed),
		files: written, memory: system.memory?.buffer.byteLength || 0 });
};
