/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of causes.py: each has one trouble. */
package shop;

import java.util.ArrayDeque;
import org.apache.spark.sql.api.java.UDF1;

public class Shop {
	/* All tasks of an executor wait for one monitor. */
	public static class PriceRule implements UDF1<Long, Long> {
		private static long last;

		private static synchronized long lookup(long n) {
			for (int i = 0; i < 3000; i++)
				last = last * 6364136223846793005L + n;
			return last;
		}

		@Override
		public Long call(Long n) {
			return lookup(n) % 1000;
		}
	}

	/* The newest sessions fill most of a heap of 512 MB. */
	public static class Sessions implements UDF1<Long, Long> {
		private static final int NEWEST = 1300000;
		private static final ArrayDeque<Long[]> sessions =
			new ArrayDeque<>();

		@Override
		public Long call(Long n) {
			synchronized (sessions) {
				Long[] session = new Long[40];
				session[0] = n + 1000;
				sessions.add(session);
				if (sessions.size() > NEWEST)
					sessions.remove();
				return session[0];
			}
		}
	}

	/* Another system answers each thousandth call after 20 ms. */
	public static class Payment implements UDF1<Long, Long> {
		@Override
		public Long call(Long n) throws InterruptedException {
			if (n % 1000 == 0)
				Thread.sleep(20);
			return n;
		}
	}
}
