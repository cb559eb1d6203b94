/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spends 10, 20, 30 and 40 % of its CPU time in four methods, and prints what it
 * measured: "SECONDS TEN TWENTY THIRTY FORTY".
 */
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;

public class Burn {
	static volatile long sink;
	static final long[] spent = new long[4];
	static final Random random = new Random(1);
	static final ThreadMXBean clock = ManagementFactory.getThreadMXBean();

	static void burnTen(int n) {
		long x = sink;
		for (int i = 0; i < n; i++)
			x = x * 2862933555777941757L + 10;
		sink = x;
	}

	static void burnTwenty(int n) {
		long x = sink;
		for (int i = 0; i < n; i++)
			x = x * 2862933555777941757L + 20;
		sink = x;
	}

	static void burnThirty(int n) {
		long x = sink;
		for (int i = 0; i < n; i++)
			x = x * 2862933555777941757L + 30;
		sink = x;
	}

	static void burnForty(int n) {
		long x = sink;
		for (int i = 0; i < n; i++)
			x = x * 2862933555777941757L + 40;
		sink = x;
	}

	static long cpu() {
		return clock.getCurrentThreadCpuTime();
	}

	/*
	 * Where all turns are as long as some periods of the sampler, each sample
	 * is of the same method.
	 */
	static void turn() {
		int n = 50000 + random.nextInt(100000);
		long a = cpu();
		burnTen(n);
		long b = cpu();
		burnTwenty(2 * n);
		long c = cpu();
		burnThirty(3 * n);
		long d = cpu();
		burnForty(4 * n);
		long e = cpu();
		spent[0] += b - a;
		spent[1] += c - b;
		spent[2] += d - c;
		spent[3] += e - d;
	}

	public static void main(String[] args) {
		double seconds = Double.parseDouble(args[0]);
		long begin = cpu();
		while (cpu() - begin < seconds * 1e9)
			turn();
		double all = cpu() - begin;
		System.out.printf("%.3f %.4f %.4f %.4f %.4f%n", all / 1e9,
			spent[0] / all, spent[1] / all, spent[2] / all,
			spent[3] / all);
	}
}
