/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.rdd;

public final class Row {
	public final String key;
	public final int status;
	public final long bytes;

	public Row(String key, int status, long bytes) {
		this.key = key;
		this.status = status;
		this.bytes = bytes;
	}

	public Row withKey(String key) {
		return new Row(key, status, bytes);
	}

	public Row plus(Row other) {
		return new Row(key, Math.max(status, other.status), bytes + other.bytes);
	}
}
