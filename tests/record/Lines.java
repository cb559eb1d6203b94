/* SPDX-License-Identifier: Apache-2.0 */
/* Calls from many lines; a line that calls f has "f(" in it. */
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class Lines {
	static volatile long sink;

	static void spin(int n) {
		long x = sink;
		for (int i = 0; i < n; i++)
			x = x * 2862933555777941757L + i;
		sink = x;
	}

	static void deep(int n) {
		if (n > 0)
			deep(n - 1);
		else
			spin(20000);
	}

	static synchronized void alone() {
		spin(10000);
		deep(2);
	}

	static void turn() {
		spin(10000);
		alone();
		try {
			deep(3);
			if (sink != 0)
				throw new IllegalStateException();
		} catch (IllegalStateException e) {
			deep(1);
		} finally {
			alone();
		}
































































































		spin(10000);
		deep(5);
	}

	public static void main(String[] args) {
		double seconds = Double.parseDouble(args[0]);
		ThreadMXBean clock = ManagementFactory.getThreadMXBean();
		while (clock.getCurrentThreadCpuTime() < seconds * 1e9)
			turn();
	}
}
