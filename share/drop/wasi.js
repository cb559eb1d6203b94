/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system of a WebAssembly module, as WASI (snapshot preview 1) names its
 * calls: arguments, files that are read where they lie and written into
 * memory, a clock and random numbers.  There is nothing else: no network.
 */
const BADF = 8, EXIST = 20, INVAL = 28, IO = 29, ISDIR = 31, NOENT = 44;
const NOSYS = 52, NOTDIR = 54, NOTEMPTY = 55, PIPE = 64;
const FOLDER = 3, REGULAR = 4, READ_BYTES = 4 << 20, ROOT = 3;

class Exit {
	constructor(code) {
		this.code = code;
	}
}

// Bytes that are written: they grow by doubling.
class Written {
	constructor() {
		this.bytes = new Uint8Array(0);
		this.size = 0;
	}
	read(at, n) {
		return this.bytes.subarray(at, Math.min(at + n, this.size));
	}
	write(at, from) {
		const end = at + from.length;
		if (end > this.bytes.length) {
			const more = new Uint8Array(Math.max(end,
				2 * this.bytes.length, 1 << 16));
			more.set(this.bytes.subarray(0, this.size));
			this.bytes = more;
		}
		this.bytes.set(from, at);
		this.size = Math.max(this.size, end);
	}
	truncate(size) {
		this.size = Math.min(size, this.size);
	}
}

// A file of the system's; one piece of it is in memory.
class Lying {
	constructor(file, onRead) {
		this.file = file;
		this.size = file.size;
		this.at = this.read_to = 0;
		this.piece = new Uint8Array(0);
		this.onRead = onRead;
	}
	read(at, n) {
		if (at >= this.size)
			return this.piece.subarray(0, 0);
		if (at < this.at || at >= this.at + this.piece.length) {
			this.piece = new Uint8Array(new FileReaderSync()
				.readAsArrayBuffer(this.file.slice(at,
					at + READ_BYTES)));
			this.at = at;
			this.onRead(Math.max(0, at + this.piece.length -
				this.read_to));
			this.read_to = Math.max(this.read_to,
				at + this.piece.length);
		}
		return this.piece.subarray(at - this.at, at - this.at + n);
	}
}

// print(fd, bytes) is called for each write to standard output and error.
class System {
	constructor(args, print) {
		this.args = args.map((arg) => new TextEncoder().encode(arg + "\0"));
		this.nodes = new Map([["", new Map()]]);
		this.fds = [{}, { print: (b) => print(1, b) },
			{ print: (b) => print(2, b) }, { path: "" }];
	}
	// A file with the folders above it.
	add(path, node) {
		const slash = path.lastIndexOf("/");
		const folder = slash < 0 ? "" : path.slice(0, slash);
		if (!this.nodes.has(folder))
			this.add(folder, new Map());
		this.nodes.get(folder).set(path.slice(slash + 1), node);
		this.nodes.set(path, node);
	}
	remove(path) {
		const slash = path.lastIndexOf("/");
		this.nodes.get(slash < 0 ? "" : path.slice(0, slash))
			.delete(path.slice(slash + 1));
		this.nodes.delete(path);
	}
	get bytes() {
		return new Uint8Array(this.memory.buffer);
	}
	get view() {
		return new DataView(this.memory.buffer);
	}
	text(at, n) {
		return new TextDecoder().decode(this.bytes.subarray(at, at + n));
	}
	// Of a folder's descriptor and a path below it.
	resolve(fd, at, n) {
		const parts = this.fds[fd].path.split("/");
		for (const part of this.text(at, n).split("/"))
			if (part === "..")
				parts.pop();
			else if (part !== ".")
				parts.push(part);
		return parts.filter((part) => part).join("/");
	}
	parent_of(path) {
		const slash = path.lastIndexOf("/");
		return this.nodes.get(slash < 0 ? "" : path.slice(0, slash));
	}
	stat(node, at) {
		const view = this.view, folder = node instanceof Map;
		this.bytes.fill(0, at, at + 64);
		view.setBigUint64(at + 8, BigInt(this.number(node)), true);
		view.setUint8(at + 16, !node ? 0 : folder ? FOLDER : REGULAR);
		view.setBigUint64(at + 24, 1n, true);
		view.setBigUint64(at + 32, BigInt(node && !folder ? node.size : 0),
			true);
		for (const time of [40, 48, 56])
			view.setBigUint64(at + time, BigInt(Math.round(1e6 *
				(node?.file?.lastModified || 0))), true);
		return 0;
	}
	// An inode, by which files differ.
	number(node) {
		this.numbers ??= new Map();
		if (!this.numbers.has(node))
			this.numbers.set(node, this.numbers.size + 1);
		return this.numbers.get(node);
	}
	list(at, strings, size_at) {
		const view = this.view;
		for (const [i, one] of strings.entries()) {
			view.setUint32(at + 4 * i, size_at, true);
			this.bytes.set(one, size_at);
			size_at += one.length;
		}
		return 0;
	}
	// Each piece of a list of buffers, until one is not filled.
	pieces(at, n, done, each) {
		const view = this.view;
		let all = 0;
		for (let i = 0; i < n; i++) {
			const from = view.getUint32(at + 8 * i, true);
			const size = view.getUint32(at + 8 * i + 4, true);
			const moved = each(this.bytes.subarray(from, from + size));
			all += moved;
			if (moved < size)
				break;
		}
		view.setUint32(done, all, true);
		return 0;
	}
	read_at(fd, at, n, where, done) {
		const open = this.fds[fd];
		if (!open)
			return BADF;
		if (open.path !== undefined)
			return ISDIR;
		return this.pieces(at, n, done, (to) => {
			const got = open.node?.read(where, to.length) || [];
			to.set(got);
			where += got.length;
			return got.length;
		});
	}
	write_at(fd, at, n, where, done) {
		const open = this.fds[fd];
		if (!open?.print && !open?.node?.write)
			return BADF;
		return this.pieces(at, n, done, (from) => {
			if (open.print)
				open.print(from.slice());
			else
				open.node.write(where, from);
			where += from.length;
			return from.length;
		});
	}
	calls() {
		return {
			args_sizes_get: (n, size) => {
				this.view.setUint32(n, this.args.length, true);
				this.view.setUint32(size, this.args.reduce(
					(sum, arg) => sum + arg.length, 0), true);
				return 0;
			},
			args_get: (at, size) => this.list(at, this.args, size),
			environ_sizes_get: (n, size) => {
				this.view.setUint32(n, 0, true);
				this.view.setUint32(size, 0, true);
				return 0;
			},
			environ_get: () => 0,
			clock_res_get: (id, at) => {
				this.view.setBigUint64(at, 1000n, true);
				return 0;
			},
			clock_time_get: (id, precision, at) => {
				this.view.setBigUint64(at, BigInt(Math.round(1e6 *
					(id ? performance.now() : Date.now()))),
				true);
				return 0;
			},
			random_get: (at, n) => {
				for (let i = 0; i < n; i += 65536)
					crypto.getRandomValues(this.bytes.subarray(
						at + i, at + Math.min(n, i + 65536)));
				return 0;
			},
			proc_exit: (code) => {
				throw new Exit(code);
			},
			sched_yield: () => 0,
			poll_oneoff: (subs, events, n, done) => {
				this.view.setUint32(done, n, true);
				this.bytes.fill(0, events, events + 32 * n);
				return 0;
			},
			fd_prestat_get: (fd, at) => {
				if (fd !== ROOT)
					return BADF;
				this.view.setUint32(at, 0, true);
				this.view.setUint32(at + 4, 1, true);
				return 0;
			},
			fd_prestat_dir_name: (fd, at) => {
				this.bytes[at] = 47;
				return 0;
			},
			fd_fdstat_get: (fd, at) => {
				const open = this.fds[fd];
				if (!open)
					return BADF;
				this.bytes.fill(0, at, at + 24);
				this.view.setUint8(at, open.node ? REGULAR :
					open.path === undefined ? 0 : FOLDER);
				this.view.setUint16(at + 2, open.append ? 1 : 0,
					true);
				this.view.setBigUint64(at + 8, ~0n & 0x3fffffffn,
					true);
				this.view.setBigUint64(at + 16, 0x3fffffffn, true);
				return 0;
			},
			fd_fdstat_set_flags: () => 0,
			fd_advise: () => 0,
			fd_sync: () => 0,
			fd_datasync: () => 0,
			fd_filestat_get: (fd, at) => {
				const open = this.fds[fd];
				return !open ? BADF : this.stat(open.node ||
					this.nodes.get(open.path), at);
			},
			fd_filestat_set_size: (fd, size) => {
				this.fds[fd].node.truncate(Number(size));
				return 0;
			},
			fd_filestat_set_times: () => 0,
			path_filestat_set_times: () => 0,
			fd_read: (fd, at, n, done) => {
				const open = this.fds[fd];
				const status = this.read_at(fd, at, n, open?.at || 0,
					done);
				if (!status)
					open.at = (open.at || 0) +
						this.view.getUint32(done, true);
				return status;
			},
			fd_pread: (fd, at, n, where, done) =>
				this.read_at(fd, at, n, Number(where), done),
			fd_write: (fd, at, n, done) => {
				const open = this.fds[fd];
				const status = this.write_at(fd, at, n,
					open?.append ? open.node.size : open?.at || 0,
					done);
				if (!status)
					open.at = (open.at || 0) +
						this.view.getUint32(done, true);
				return status;
			},
			fd_pwrite: (fd, at, n, where, done) =>
				this.write_at(fd, at, n, Number(where), done),
			fd_seek: (fd, offset, whence, at) => {
				const open = this.fds[fd];
				if (!open?.node)
					return open ? PIPE : BADF;
				const to = Number(offset) + (whence === 2 ?
					open.node.size : whence ? open.at : 0);
				if (to < 0)
					return INVAL;
				open.at = to;
				this.view.setBigUint64(at, BigInt(to), true);
				return 0;
			},
			fd_tell: (fd, at) => {
				this.view.setBigUint64(at, BigInt(this.fds[fd].at),
					true);
				return 0;
			},
			fd_close: (fd) => {
				if (!this.fds[fd])
					return BADF;
				this.fds[fd] = undefined;
				return 0;
			},
			fd_renumber: (from, to) => {
				this.fds[to] = this.fds[from];
				this.fds[from] = undefined;
				return 0;
			},
			fd_readdir: (fd, at, size, cookie, used) => {
				const open = this.fds[fd];
				const names = [...this.nodes.get(open.path)];
				const end = at + size;
				let i = Number(cookie), to = at;
				for (; i < names.length && to < end; i++) {
					const [name, node] = names[i];
					const text = new TextEncoder().encode(name);
					const entry = new Uint8Array(24 +
						text.length);
					const view = new DataView(entry.buffer);
					view.setBigUint64(0, BigInt(i + 1), true);
					view.setBigUint64(8,
						BigInt(this.number(node)), true);
					view.setUint32(16, text.length, true);
					view.setUint8(20, node instanceof Map ?
						FOLDER : REGULAR);
					entry.set(text, 24);
					const part = entry.subarray(0, end - to);
					this.bytes.set(part, to);
					to += part.length;
				}
				this.view.setUint32(used, to - at, true);
				return 0;
			},
			path_filestat_get: (fd, flags, at, n, to) => {
				const node = this.nodes.get(this.resolve(fd, at, n));
				return node ? this.stat(node, to) : NOENT;
			},
			path_open: (fd, follow, at, n, how, rights, inherited, flags,
				to) => {
				const path = this.resolve(fd, at, n);
				let node = this.nodes.get(path);
				if (node && (how & 5) === 5)
					return EXIST;
				if (!node && !(how & 1))
					return NOENT;
				if (!node && !(this.parent_of(path) instanceof Map))
					return NOENT;
				if (!node)
					this.add(path, node = new Written());
				const folder = node instanceof Map;
				if (how & 2 && !folder)
					return NOTDIR;
				if (how & 8 && !folder)
					node.truncate(0);
				let free = ROOT + 1;
				while (this.fds[free])
					free++;
				this.fds[free] = folder ? { path } :
					{ node, at: 0, append: flags & 1 };
				this.view.setUint32(to, free, true);
				return 0;
			},
			path_create_directory: (fd, at, n) => {
				const path = this.resolve(fd, at, n);
				if (this.nodes.has(path))
					return EXIST;
				if (!(this.parent_of(path) instanceof Map))
					return NOENT;
				this.add(path, new Map());
				return 0;
			},
			path_remove_directory: (fd, at, n) => {
				const path = this.resolve(fd, at, n);
				if (!(this.nodes.get(path) instanceof Map))
					return NOENT;
				if (this.nodes.get(path).size)
					return NOTEMPTY;
				this.remove(path);
				return 0;
			},
			path_unlink_file: (fd, at, n) => {
				const path = this.resolve(fd, at, n);
				if (!this.nodes.has(path))
					return NOENT;
				this.remove(path);
				return 0;
			},
			path_rename: (fd, at, n, to_fd, to_at, to_n) => {
				const path = this.resolve(fd, at, n);
				const node = this.nodes.get(path);
				if (!node)
					return NOENT;
				if (node instanceof Map)
					return NOSYS;
				this.remove(path);
				this.add(this.resolve(to_fd, to_at, to_n), node);
				return 0;
			},
			path_readlink: (fd, at, n) =>
				this.nodes.has(this.resolve(fd, at, n)) ? INVAL : NOENT,
		};
	}
	// The exit status of a program; what it lacks of the system says so.
	run(module) {
		const calls = this.calls(), imports = {};
		for (const { module: from, name } of
			WebAssembly.Module.imports(module)) {
			imports[from] ??= {};
			imports[from][name] = calls[name] || (() => NOSYS);
		}
		const { exports } = new WebAssembly.Instance(module, imports);
		this.memory = exports.memory;
		try {
			exports._start();
		} catch (e) {
			if (!(e instanceof Exit))
				throw e;
			return e.code;
		}
		return 0;
	}
}
