/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Type checks against interfaces, which C1 leaves to a stub without a frame.
 *
 *	Checks SECONDS
 */
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class Checks {
	interface A {}
	interface B {}
	interface C {}
	interface D {}

	static class X implements A, B {}
	static class Y implements C, D, A {}
	static class Z extends Y implements B {}

	static int check(Object[] all) {
		int n = 0;
		for (Object o : all) {
			if (o instanceof D)
				n++;
			if (o instanceof B)
				n += 2;
			if (o instanceof java.io.Serializable)
				n += 3;
		}
		return n;
	}

	static int outer(Object[] all) {
		return check(all) + 1;
	}

	public static void main(String[] args) {
		ThreadMXBean clock = ManagementFactory.getThreadMXBean();
		long end = (long) (1e9 * Double.parseDouble(args[0]));
		Object[] all = new Object[1000];
		long sum = 0;

		for (int i = 0; i < all.length; i++)
			all[i] = i % 3 == 0 ? new X() :
				 i % 3 == 1 ? new Y() : new Z();
		while (clock.getCurrentThreadCpuTime() < end)
			sum += outer(all);
		System.out.println(sum);
	}
}
