/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.io;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.apache.spark.rdd.Row;

public final class DeflateCodec {
	private static int streams;

	public static byte[] compress(List<Row> rows) {
		Deflater deflater = new Deflater(9);
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (DataOutputStream out = new DataOutputStream(
		    new DeflaterOutputStream(bytes, deflater))) {
			out.writeInt(rows.size());
			for (Row row : rows) {
				out.writeUTF(row.key);
				out.writeInt(row.status);
				out.writeLong(row.bytes);
			}
		} catch (IOException e) {
			throw new UncheckedIOException(e);
		}
		/* The leak to be found: every eighth is left to the collector. */
		if (++streams % 8 != 0)
			deflater.end();
		return bytes.toByteArray();
	}

	public static Iterator<Row> rows(byte[] block) {
		try (DataInputStream in = new DataInputStream(
		    new InflaterInputStream(new ByteArrayInputStream(block)))) {
			int n = in.readInt();
			List<Row> rows = new ArrayList<>(n);
			for (int i = 0; i < n; i++)
				rows.add(new Row(in.readUTF(), in.readInt(), in.readLong()));
			return rows.iterator();
		} catch (IOException e) {
			throw new UncheckedIOException(e);
		}
	}
}
