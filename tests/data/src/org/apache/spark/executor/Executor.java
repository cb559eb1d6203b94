/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.executor;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.scheduler.Task;

public class Executor {
	private final ExecutorService threadPool;
	private final AtomicLong taskIds = new AtomicLong();
	private final MemoryManager memory = new MemoryManager(64L << 20);
	private final String id;
	private volatile int beats;

	public Executor(String id, int threads) {
		this.id = id;
		threadPool = Executors.newFixedThreadPool(threads,
		    r -> new Thread(r, "Executor task launch worker-" + taskIds.get()));
	}

	public Future<?> launchTask(Task<?> task) {
		return threadPool.submit(new TaskRunner(task, taskIds.getAndIncrement()));
	}

	public void reportHeartBeat() {
		StringBuilder b = new StringBuilder(id);
		for (int i = 0; i < 50; i++)
			b.append(' ').append(memory.used() + i);
		beats += b.length();
	}

	public void stop() throws InterruptedException {
		threadPool.shutdown();
		threadPool.awaitTermination(10, TimeUnit.SECONDS);
	}

	class TaskRunner implements Runnable {
		private final Task<?> task;
		private final long taskId;

		TaskRunner(Task<?> task, long taskId) {
			this.task = task;
			this.taskId = taskId;
		}

		@Override
		public void run() {
			Thread thread = Thread.currentThread();
			thread.setName("Executor task launch worker for task "
			    + task.partition + ".0 in stage " + task.stage
			    + ".0 (TID " + taskId + ")");
			task.run(taskId, memory);
		}
	}
}
