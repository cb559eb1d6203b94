/* SPDX-License-Identifier: Apache-2.0 */
/* A zip archive of files that are not packed: the pages of a report. */
const crc_table = Uint32Array.from({ length: 256 }, (v, n) => {
	for (let k = 0; k < 8; k++)
		n = n & 1 ? 0xedb88320 ^ n >>> 1 : n >>> 1;
	return n;
});
const crc32 = (bytes) => {
	let crc = -1;
	for (const byte of bytes)
		crc = crc_table[(crc ^ byte) & 255] ^ crc >>> 8;
	return ~crc >>> 0;
};
// Numbers of two and four bytes, the lowest first.
const numbers = (...list) => {
	const view = new DataView(new ArrayBuffer(4 * list.length));
	let at = 0;
	for (const [value, size] of list) {
		if (size === 2)
			view.setUint16(at, value, true);
		else
			view.setUint32(at, value, true);
		at += size;
	}
	return new Uint8Array(view.buffer, 0, at);
};
const zip = async (files) => {
	const parts = [], index = [];
	let at = 0, index_size = 0;
	for (const { path, file } of files) {
		const name = new TextEncoder().encode(path);
		// Names in UTF-8, stored, of 1 January 1980.
		const facts = [[20, 2], [0x800, 2], [0, 2], [0, 2], [0x21, 2],
			[crc32(new Uint8Array(await file.arrayBuffer())), 4],
			[file.size, 4], [file.size, 4], [name.length, 2], [0, 2]];
		parts.push(numbers([0x04034b50, 4], ...facts), name, file);
		index.push(numbers([0x02014b50, 4], [20, 2], ...facts, [0, 2],
			[0, 2], [0, 2], [0, 4], [at, 4]), name);
		at += 30 + name.length + file.size;
		index_size += 46 + name.length;
	}
	return new Blob([...parts, ...index, numbers([0x06054b50, 4], [0, 4],
		[files.length, 2], [files.length, 2], [index_size, 4], [at, 4],
		[0, 2])], { type: "application/zip" });
};
