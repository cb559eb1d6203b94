/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.util.collection;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.io.DeflateCodec;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.rdd.Row;

/* Combines rows by key, then sorts and splits them into blocks. */
public final class ExternalSorter {
	private final int partitions;
	private final MemoryManager memory;
	private final Map<String, Row> combined = new HashMap<>();

	public ExternalSorter(int partitions, MemoryManager memory) {
		this.partitions = partitions;
		this.memory = memory;
	}

	public void insertAll(Iterator<Row> rows) {
		int n = 0;
		while (rows.hasNext()) {
			Row row = rows.next();
			combined.merge(row.key, row, Row::plus);
			if (++n % 256 == 0)
				maybeSpill(n);
		}
	}

	private void maybeSpill(int n) {
		memory.release(memory.acquire(n));
	}

	public Map<Integer, byte[]> partitioned() {
		List<Row> rows = new ArrayList<>(combined.values());
		rows.sort((a, b) -> compare(a, b));
		Map<Integer, List<Row>> split = new TreeMap<>();
		for (Row row : rows)
			split.computeIfAbsent(Math.floorMod(hash(row.key), partitions),
			    p -> new ArrayList<>()).add(row);
		Map<Integer, byte[]> out = new TreeMap<>();
		split.forEach((p, list) -> out.put(p, DeflateCodec.compress(list)));
		return out;
	}

	private static int compare(Row a, Row b) {
		int c = a.key.compareTo(b.key);
		return c != 0 ? c : Long.compare(a.bytes, b.bytes);
	}

	private static int hash(String key) {
		int h = 0x811c9dc5;
		for (int i = 0; i < key.length(); i++)
			h = (h ^ Character.toLowerCase(key.charAt(i))) * 0x01000193;
		return h;
	}
}
