/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads classes that differ in name alone, runs each for some milliseconds and
 * drops it, so that the JVM uses the memory of unloaded ones again.
 */
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;

public class Unload {
	static final ThreadMXBean clock = ManagementFactory.getThreadMXBean();

	/* The thread's own time: other threads may use the CPU meanwhile. */
	public static long cpu() {
		return clock.getCurrentThreadCpuTime();
	}

	/** Copied under the names Unload$Gen0001 and so on. */
	public static class Gen0000 {
		static long sum;

		public static void turn(long nanoseconds) {
			long end = cpu() + nanoseconds;

			while (cpu() < end)
				for (int i = 0; i < 10000; i++)
					sum += sum * 31 + i;
		}
	}

	static class Loader extends ClassLoader {
		Class<?> define(String name, byte[] bytes) {
			return defineClass(name, bytes, 0, bytes.length);
		}
	}

	static byte[] renamed(byte[] template, String name) {
		byte[] from = "Gen0000".getBytes(StandardCharsets.US_ASCII);
		byte[] to = name.getBytes(StandardCharsets.US_ASCII);
		byte[] bytes = template.clone();

		for (int i = 0; i + from.length <= bytes.length; i++) {
			int k = 0;

			while (k < from.length && bytes[i + k] == from[k])
				k++;
			if (k == from.length)
				System.arraycopy(to, 0, bytes, i, k);
		}
		return bytes;
	}

	public static void main(String[] args) throws Exception {
		long end = cpu() + (long)(Double.parseDouble(args[0]) * 1e9);
		byte[] template;
		int n = 1;

		try (InputStream in = Unload.class.getResourceAsStream(
				"Unload$Gen0000.class")) {
			template = new byte[in.available()];
			new java.io.DataInputStream(in).readFully(template);
		}
		for (; cpu() < end && n < 10000; n++) {
			String name = String.format("Gen%04d", n);
			Method turn = new Loader().define("Unload$" + name,
				renamed(template, name))
				.getMethod("turn", long.class);

			turn.invoke(null, 4000000L);
			if (n % 40 == 0)
				System.gc();
		}
		System.out.println(n - 1);
	}
}
