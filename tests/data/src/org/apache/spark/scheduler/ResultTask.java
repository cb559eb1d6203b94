/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.scheduler;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.io.DeflateCodec;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.Row;
import org.apache.spark.storage.BlockManager;

/* The heaviest keys of one partition, as a signed report. */
public class ResultTask extends Task<String> {
	private final BlockManager blocks;

	public ResultTask(int stage, int partition, BlockManager blocks) {
		super(stage, partition);
		this.blocks = blocks;
	}

	@Override
	protected String runTask() throws Exception {
		List<Row> rows = RDD.of(blocks.local(stage - 1, partition).iterator())
		    .flatMap(DeflateCodec::rows).toList();
		List<Row> top = rows.stream()
		    .sorted(Comparator.comparingLong((Row r) -> -r.bytes)
			.thenComparing(r -> r.key))
		    .limit(400)
		    .collect(Collectors.toList());
		return sign(toJson(top));
	}

	private String toJson(List<Row> rows) {
		StringBuilder json = new StringBuilder("[");
		for (Row row : rows)
			json.append("{\"key\":\"").append(row.key)
			    .append("\",\"id\":").append(itemId(row.key))
			    .append(",\"bytes\":").append(row.bytes)
			    .append("},\n");
		return json.append("]").toString();
	}

	/* Most keys end in a number, some do not: an exception each. */
	private static long itemId(String key) {
		try {
			return Long.parseLong(key.substring(key.lastIndexOf('/') + 1));
		} catch (NumberFormatException e) {
			return e.getMessage().hashCode();
		}
	}

	private static String sign(String json) throws Exception {
		MessageDigest sha = MessageDigest.getInstance("SHA-256");
		byte[] digest = json.getBytes(StandardCharsets.UTF_8);
		for (int i = 0; i < 20; i++)
			digest = sha.digest(digest.length > 64 ? digest : json.getBytes(StandardCharsets.UTF_8));
		return HexFormat.of().formatHex(digest);
	}
}
