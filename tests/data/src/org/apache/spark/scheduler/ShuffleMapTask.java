/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.scheduler;

import java.util.Iterator;
import java.util.Map;
import org.apache.spark.io.DeflateCodec;
import org.apache.spark.network.BlockClient;
import org.apache.spark.rdd.LogFile;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.Row;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.util.collection.ExternalSorter;

/* Rows of one partition in, sorted and deflated blocks out. */
public class ShuffleMapTask extends Task<Integer> {
	public interface Input {
		Iterator<Row> open() throws Exception;
	}

	private final Input input;
	private final BlockManager blocks;
	private final int partitions;

	ShuffleMapTask(int stage, int partition, Input input, BlockManager blocks,
	    int partitions) {
		super(stage, partition);
		this.input = input;
		this.blocks = blocks;
		this.partitions = partitions;
	}

	public static ShuffleMapTask parsing(int stage, int partition, LogFile log,
	    BlockManager blocks, int partitions) {
		return new ShuffleMapTask(stage, partition,
		    () -> RDD.of(log.lines(partition, partitions))
			.flatMap(LogFile::parse)
			.filter(row -> row.status < 500)
			.iterator(),
		    blocks, partitions);
	}

	public static ShuffleMapTask merging(int stage, int partition, int port,
	    BlockManager blocks, int partitions) {
		return new ShuffleMapTask(stage, partition,
		    () -> RDD.of(new BlockClient(port).fetch(stage - 1, partition, partitions))
			.flatMap(DeflateCodec::rows)
			.map(row -> row.withKey(row.key.toLowerCase()))
			.iterator(),
		    blocks, partitions);
	}

	@Override
	protected Integer runTask() throws Exception {
		long got = memory.acquire(4 << 20);
		ExternalSorter sorter = new ExternalSorter(partitions, memory);
		try {
			sorter.insertAll(input.open());
			int written = 0;
			for (Map.Entry<Integer, byte[]> e : sorter.partitioned().entrySet())
				written += blocks.put(stage, partition, e.getKey(), e.getValue());
			return written;
		} finally {
			memory.release(got);
		}
	}
}
