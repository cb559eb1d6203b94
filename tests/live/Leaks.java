/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that a static map and an array of a local variable hold. */
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Leaks {
	static final Map<String, List<byte[]>> TABLE = new HashMap<>();

	static volatile byte[] dropped;

	static class Shelf {
		byte[][] row = new byte[8000][];
	}

	public static void main(String[] args) throws Exception {
		Shelf shelf = new Shelf();

		for (int i = 0; i < 16000; i++) {
			TABLE.computeIfAbsent("k" + i % 3,
				k -> new ArrayList<>()).add(new byte[4096]);
			if (i % 2 == 0)
				shelf.row[i / 2] = new byte[4000];
			dropped = new byte[65536];
			if (i % 400 == 0)
				Thread.sleep(20);
		}
		System.gc();
		Thread.sleep(500);
		if (shelf.row[0] == null)
			throw new Exception();
	}
}
