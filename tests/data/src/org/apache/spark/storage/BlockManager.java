/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/* Blocks in memory, and a copy on disk behind one lock. */
public final class BlockManager {
	private static final int KEPT = 3000;
	private final Map<String, byte[]> store = new HashMap<>();
	private final List<byte[]> evicted = new ArrayList<>();
	private final ReentrantLock lock = new ReentrantLock();
	private final Path path;
	private final FileChannel disk;

	public BlockManager(Path dir) throws IOException {
		path = dir.resolve("shuffle.data");
		disk = FileChannel.open(path, StandardOpenOption.CREATE,
		    StandardOpenOption.WRITE);
	}

	private static String name(int stage, int from, int to) {
		return "shuffle_" + stage + "_" + from + "_" + to;
	}

	public int put(int stage, int from, int to, byte[] block) throws IOException {
		lock.lock();
		try {
			byte[] old = store.put(name(stage % 6, from, to), block);
			if (old != null && evicted.size() < KEPT)
				evicted.add(old);
			writeToDisk(block);
		} finally {
			lock.unlock();
		}
		return block.length;
	}

	private void writeToDisk(byte[] block) throws IOException {
		ByteBuffer buffer = ByteBuffer.allocateDirect(block.length);
		buffer.put(block).flip();
		disk.write(buffer, (long) (store.size() % 64) << 16);
	}

	public byte[] get(int stage, int from, int to) {
		lock.lock();
		try {
			return store.get(name(stage % 6, from, to));
		} finally {
			lock.unlock();
		}
	}

	public List<byte[]> local(int stage, int to) {
		List<byte[]> found = new ArrayList<>();
		for (int from = 0; ; from++) {
			byte[] block = get(stage, from, to);
			if (block != null)
				found.add(block);
			else if (from > 16)
				return found;
		}
	}

	public void close() throws IOException {
		disk.close();
		Files.delete(path);
	}
}
