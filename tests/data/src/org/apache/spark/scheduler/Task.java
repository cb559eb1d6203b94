/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.scheduler;

import org.apache.spark.memory.MemoryManager;

public abstract class Task<T> {
	public final int stage;
	public final int partition;
	protected MemoryManager memory;

	protected Task(int stage, int partition) {
		this.stage = stage;
		this.partition = partition;
	}

	public final T run(long taskId, MemoryManager memory) {
		this.memory = memory;
		try {
			return runTask();
		} catch (Exception e) {
			throw new IllegalStateException("task " + taskId, e);
		}
	}

	protected abstract T runTask() throws Exception;
}
