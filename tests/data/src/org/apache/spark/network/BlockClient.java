/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.network;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

public final class BlockClient {
	private final int port;

	public BlockClient(int port) {
		this.port = port;
	}

	/* Block (i, partition) of every map task i that wrote one. */
	public Iterator<byte[]> fetch(int stage, int partition, int partitions)
	    throws IOException {
		List<byte[]> blocks = new ArrayList<>();
		for (int i = 0; i < partitions; i++) {
			byte[] block = fetchBlock(stage, i, partition);
			if (block.length > 0)
				blocks.add(block);
		}
		return blocks.iterator();
	}

	private byte[] fetchBlock(int stage, int from, int to) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			DataOutputStream out = new DataOutputStream(socket.getOutputStream());
			out.writeInt(stage);
			out.writeInt(from);
			out.writeInt(to);
			out.flush();
			DataInputStream in = new DataInputStream(socket.getInputStream());
			byte[] block = new byte[in.readInt()];
			in.readFully(block);
			return block;
		}
	}
}
