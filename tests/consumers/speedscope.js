// SPDX-License-Identifier: Apache-2.0
// What speedscope's importer makes of a file, as folded text:
//
//	node speedscope.js BUNDLE FILE
//
// The package has the program of its page alone.  It runs here without a page:
// all that belongs to one is an object that accepts everything, and instead of
// its last line, which draws, it exports the modules it loads on demand.
'use strict';
const fs = require('fs'), path = require('path'), vm = require('vm');
const [bundle, file] = process.argv.slice(2);

const page = new Proxy(function () {}, {
	get: (_, key) => key === Symbol.toPrimitive ? () => '' : page,
	apply: () => page, construct: () => page, set: () => true
});

function findImporter() {
	const text = fs.readFileSync(bundle, 'utf8');
	const lazy = /Promise\.resolve\(\)\.then\(\(\)=>(\([\w$]+\(\),[\w$]+\))\)/g;
	const modules = [...text.matchAll(lazy)].map(m => `()=>${m[1]}`);
	const last = text.lastIndexOf('console.log(`speedscope v');
	const context = {
		console: { log() {}, warn: console.error, error: console.error },
		TextDecoder, TextEncoder, URL, Blob, WebAssembly, performance,
		setTimeout, clearTimeout, fetch, atob, btoa,
		HTMLElement: function () {}
	};

	for (const name of ['window', 'document', 'navigator', 'location',
		'localStorage', 'history', 'requestAnimationFrame', 'matchMedia',
		'Worker'])
		context[name] = page;
	context.self = context.globalThis = context;
	vm.runInNewContext(text.slice(0, last) +
		`globalThis.modules=[${modules}]})();`, context);
	return context.modules.map(load => load())
		.find(module => module.importProfilesFromArrayBuffer);
}

const clean = name => name.replace(/;/g, ':').replace(/[\x00-\x1f\x7f]/g, ' ');

// Calls begin and end at a value, which grows by the weight of what is open.
function fold(profile, sums) {
	const open = [];
	let last = 0;
	const pass = value => {
		const key = open.join(';');

		if (value > last && open.length)
			sums.set(key, (sums.get(key) || 0) + value - last);
		last = value;
	};

	profile.forEachCall((node, value) => {
		pass(value);
		open.push(clean(node.frame.name));
	}, (node, value) => {
		pass(value);
		open.pop();
	});
	return sums;
}

async function main() {
	const data = fs.readFileSync(file);
	const group = await findImporter().importProfilesFromArrayBuffer(
		path.basename(file), data.buffer.slice(data.byteOffset,
			data.byteOffset + data.length));
	const other = JSON.parse(data).otherData;
	// Of our trace: microseconds to weights.
	const unit = other ? other.unit_ns / 1000 : 1;
	const sums = new Map();

	for (const profile of group.profiles)
		fold(profile, sums);
	for (const [stack, value] of sums)
		if (Math.round(value / unit))
			console.log(stack, Math.round(value / unit));
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});
