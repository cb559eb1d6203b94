/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that name themselves after each task, as Spark's do: a sample's
 * thread name says which method ran, while the collector moves the names.
 * Prints how many tasks there were.
 */
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicInteger;

public class Tasks {
	static volatile Object live;
	static final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
	static final AtomicInteger tasks = new AtomicInteger();
	static long sum;

	/* The thread's own time: other threads may use the CPU meanwhile. */
	static long cpu() {
		return clock.getCurrentThreadCpuTime();
	}

	static void work(long end) {
		while (cpu() < end) {
			byte[][] garbage = new byte[64][];

			for (int i = 0; i < garbage.length; i++) {
				garbage[i] = new byte[1024];
				sum += garbage[i].length;
			}
			live = garbage;
		}
	}

	static void stage0(long end) { work(end); }
	static void stage1(long end) { work(end); }
	static void stage2(long end) { work(end); }

	static void run(int stage, long end) {
		switch (stage) {
		case 0: stage0(end); break;
		case 1: stage1(end); break;
		default: stage2(end);
		}
	}

	static void turns(int thread, long end) {
		for (int i = 0; cpu() < end; i++) {
			int stage = (i + thread) % 3;

			tasks.incrementAndGet();
			Thread.currentThread().setName(stage == 2 ?
				"Täsk λ of stage " + stage :
				"Executor task launch worker for task " + i +
				".0 in stage " + stage + ".0 (TID " + i + ")");
			run(stage, Math.min(end, cpu() + 50000000));
		}
	}

	public static void main(String[] arguments) throws Exception {
		long end = (long)(Double.parseDouble(arguments[0]) * 1e9);
		Thread[] threads = new Thread[2];

		for (int i = 0; i < threads.length; i++) {
			int n = i;

			threads[i] = new Thread(() -> turns(n, end));
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
		System.out.println(tasks);
	}
}
