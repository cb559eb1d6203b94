/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.network;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.apache.spark.storage.BlockManager;

/* Serves blocks over loopback, one request a connection. */
public final class BlockServer implements Runnable {
	private final ServerSocket server;
	private final BlockManager blocks;

	public BlockServer(BlockManager blocks) throws IOException {
		this.blocks = blocks;
		server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		for (int i = 1; i <= 2; i++) {
			Thread t = new Thread(this, "shuffle-server-3-" + i);
			t.setDaemon(true);
			t.start();
		}
	}

	public int port() {
		return server.getLocalPort();
	}

	@Override
	public void run() {
		while (!server.isClosed()) {
			try (Socket socket = server.accept()) {
				serve(new DataInputStream(socket.getInputStream()),
				    new DataOutputStream(socket.getOutputStream()));
			} catch (IOException e) {
				return;
			}
		}
	}

	private void serve(DataInputStream in, DataOutputStream out) throws IOException {
		byte[] block = blocks.get(in.readInt(), in.readInt(), in.readInt());
		out.writeInt(block == null ? 0 : block.length);
		if (block != null)
			out.write(block);
		out.flush();
	}

	public void close() throws IOException {
		server.close();
	}
}
