/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads with a bit of everything: strings, lambdas, regular expressions,
 * exceptions, native code, locks, reflection, maps, sorting.
 *
 *	Mix SECONDS		of CPU time, of both
 */
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.zip.Deflater;

public class Mix {
	static final Object lock = new Object();
	static volatile long sink;

	static int strings(int n) {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < n; i++)
			text.append(i).append("x");
		return text.toString().hashCode();
	}

	static long lambdas(int n) {
		List<Integer> list = new ArrayList<>();
		for (int i = 0; i < n; i++)
			list.add(i);
		return list.stream().filter(x -> x % 3 == 0)
			.mapToLong(x -> x * 2L).sum();
	}

	static int regex(int n) {
		Pattern pattern = Pattern.compile("(a|b)*c[0-9]+");
		int count = 0;
		for (int i = 0; i < n; i++)
			if (pattern.matcher("ababababc" + i).matches())
				count++;
		return count;
	}

	static void thrower(int i) {
		if (i % 2 == 0)
			throw new IllegalStateException("even");
	}

	static int exceptions(int n) {
		int count = 0;
		for (int i = 0; i < n; i++)
			try {
				thrower(i);
			} catch (IllegalStateException e) {
				count++;
			}
		return count;
	}

	static int zlib() {
		byte[] in = new byte[20000], out = new byte[30000];
		new Random(1).nextBytes(in);
		Deflater deflater = new Deflater();
		deflater.setInput(in);
		deflater.finish();
		int size = deflater.deflate(out);
		deflater.end();
		return size;
	}

	static int locks(int n) {
		ReentrantLock other = new ReentrantLock();
		int count = 0;
		for (int i = 0; i < n; i++) {
			synchronized (lock) {
				count++;
			}
			other.lock();
			count++;
			other.unlock();
		}
		return count;
	}

	static int target(int i) {
		return i ^ 3;
	}

	static int reflect(int n) throws Exception {
		java.lang.reflect.Method method = Mix.class.getDeclaredMethod("target", int.class);
		int count = 0;
		for (int i = 0; i < n; i++)
			count += (Integer) method.invoke(null, i);
		return count;
	}

	static int maps(int n) {
		Map<String, Integer> map = new HashMap<>();
		for (int i = 0; i < n; i++)
			map.merge("k" + i % 100, 1, Integer::sum);
		return map.size();
	}

	static int sort(int n) {
		Integer[] array = new Integer[n];
		Random random = new Random(3);
		for (int i = 0; i < n; i++)
			array[i] = random.nextInt();
		Arrays.sort(array, (x, y) -> Integer.compare(x, y));
		return array[0];
	}

	static void loop() {
		try {
			for (;;)
				sink += strings(2000) + lambdas(2000) +
					regex(300) + exceptions(500) + zlib() +
					locks(2000) + reflect(1000) +
					maps(2000) + sort(1000);
		} catch (Exception e) {
			e.printStackTrace();
		}
	}

	public static void main(String[] args) throws Exception {
		ThreadMXBean clock = ManagementFactory.getThreadMXBean();
		Thread[] threads = new Thread[2];
		double spent = 0;

		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(Mix::loop, "mixer-" + i);
			threads[i].setDaemon(true);
			threads[i].start();
		}
		while (spent < Double.parseDouble(args[0]) * 1e9) {
			Thread.sleep(50);
			spent = 0;
			for (Thread thread : threads)
				spent += clock.getThreadCpuTime(thread.getId());
		}
	}
}
