/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.memory;

/* One monitor for all tasks, held rather longer than it should be. */
public final class MemoryManager {
	private final byte[] pages = new byte[1 << 16];
	private final long limit;
	private long used;

	public MemoryManager(long limit) {
		this.limit = limit;
	}

	public synchronized long acquire(long wanted) {
		long got = Math.min(wanted, limit - used);
		used += got;
		scan((int) (wanted & 31));
		return got;
	}

	public synchronized void release(long size) {
		used -= size;
		scan((int) (size & 31));
	}

	public synchronized long used() {
		return used;
	}

	private void scan(int from) {
		for (int i = from; i < pages.length; i++)
			pages[i] += (byte) (pages[(i * 31) & 0xffff] ^ i);
	}
}
