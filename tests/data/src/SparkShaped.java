/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with the shape of a Spark executor, to be profiled.
 *
 * Nothing here is Spark: the classes below org/apache/spark are stand-ins
 * of our own, named so that stacks read as they do in the field:
 *
 *	Thread.run > ThreadPoolExecutor$Worker.run > Executor$TaskRunner.run
 *	> Task.run > ShuffleMapTask.runTask > ... the work
 *
 * Three stages come round again and again: parse and combine a log (file
 * reads, a regex, hashing, sorting, Deflater), fetch the blocks over a
 * socket and merge them (Inflater, lambdas), and report (streams, strings,
 * SHA-256, exceptions). Pool threads take a new name for each task, others
 * idle; a monitor and a ReentrantLock are fought over.
 *
 * usage: SparkShaped SECONDS [TASK-THREADS [IDLE-THREADS]]
 */
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.executor.Executor;
import org.apache.spark.network.BlockServer;
import org.apache.spark.rdd.LogFile;
import org.apache.spark.scheduler.ResultTask;
import org.apache.spark.scheduler.ShuffleMapTask;
import org.apache.spark.scheduler.Task;
import org.apache.spark.storage.BlockManager;

public class SparkShaped {
	static final int PARTITIONS = 6;

	public static void main(String[] args) throws Exception {
		int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
		int threads = args.length > 1 ? Integer.parseInt(args[1]) : 3;
		int idle = args.length > 2 ? Integer.parseInt(args[2]) : 4;
		long end = System.nanoTime() + seconds * 1_000_000_000L;

		Path dir = Files.createTempDirectory("spark-shaped");
		LogFile log = new LogFile(dir.resolve("access.log"), 20_000);
		BlockManager blocks = new BlockManager(dir);
		BlockServer server = new BlockServer(blocks);
		Executor executor = new Executor("exec-1", threads);
		ScheduledExecutorService beat = heartbeat(executor);
		park(idle);

		int stage = 0;
		while (System.nanoTime() < end) {
			List<Task<?>> map = new ArrayList<>();
			List<Task<?>> merge = new ArrayList<>();
			List<Task<?>> report = new ArrayList<>();
			for (int p = 0; p < PARTITIONS; p++) {
				map.add(ShuffleMapTask.parsing(stage, p, log, blocks, PARTITIONS));
				merge.add(ShuffleMapTask.merging(stage + 1, p, server.port(), blocks, PARTITIONS));
				report.add(new ResultTask(stage + 2, p, blocks));
			}
			stage(executor, map);
			stage(executor, merge);
			stage(executor, report);
			stage += 3;
		}
		beat.shutdownNow();
		executor.stop();
		server.close();
		blocks.close();
		log.delete();
		Files.delete(dir);
		System.out.println("SparkShaped: " + stage + " stages");
	}

	/* A stage ends when its last task does: a pause all threads see. */
	static void stage(Executor executor, List<Task<?>> tasks) throws Exception {
		List<Future<?>> running = new ArrayList<>();
		for (Task<?> task : tasks)
			running.add(executor.launchTask(task));
		for (Future<?> task : running)
			task.get();
	}

	static ScheduledExecutorService heartbeat(Executor executor) {
		ScheduledExecutorService beat = Executors.newSingleThreadScheduledExecutor(
		    r -> daemon(r, "driver-heartbeater"));
		beat.scheduleAtFixedRate(executor::reportHeartBeat, 100, 100, TimeUnit.MILLISECONDS);
		return beat;
	}

	/* Pools with nothing to do, of which a real executor has dozens. */
	static void park(int n) {
		var pool = Executors.newFixedThreadPool(Math.max(n, 1),
		    r -> daemon(r, "dispatcher-event-loop"));
		for (int i = 0; i < n; i++) {
			String name = "dispatcher-event-loop-" + i;
			pool.submit(() -> Thread.currentThread().setName(name));
		}
	}

	static Thread daemon(Runnable r, String name) {
		Thread t = new Thread(r, name);
		t.setDaemon(true);
		return t;
	}
}
