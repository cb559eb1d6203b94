/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates a quarter of its bytes in one method and the rest in another, and
 * waits for a lock that another thread has nine tenths of the time.
 */
import java.util.concurrent.ThreadLocalRandom;

public class Heap {
	static volatile Object sink;
	static final Object lock = new Object();

	static void allocateOne() {
		for (int i = 0; i < 10; i++)
			sink = new byte[1000];
	}

	static void allocateThree() {
		for (int i = 0; i < 10; i++)
			sink = new byte[1000];
	}

	static void holdLock() throws InterruptedException {
		synchronized (lock) {
			Thread.sleep(45);
		}
		Thread.sleep(5);
	}

	static void waitForLock() throws InterruptedException {
		synchronized (lock) {
			sink = lock;
		}
		Thread.sleep(1);
	}

	interface Work {
		void run() throws InterruptedException;
	}

	static void start(String name, Work work) {
		Thread thread = new Thread(() -> {
			try {
				for (;;)
					work.run();
			} catch (InterruptedException e) {
				throw new IllegalStateException(e);
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws InterruptedException {
		start("holder", Heap::holdLock);
		start("waiter", Heap::waitForLock);
		start("maker", () -> {
			/* By chance: JVMs look at bytes in steps of their own. */
			for (int i = 0; i < 40; i++)
				if (ThreadLocalRandom.current().nextInt(4) == 0)
					allocateOne();
				else
					allocateThree();
			Thread.sleep(1);
		});
		Thread.sleep(1000 * Long.parseLong(args[0]));
	}
}
