// SPDX-License-Identifier: Apache-2.0
package libflame.spark;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * A thread that records this process, part by part.  A part ends each
 * spark.flame.interval, and as soon as the last running task has ended, so at
 * the end of a stage, if it is spark.flame.least long.  Then it is copied to
 * dfsDir/APPLICATION/NAME-PART.ndjson.gz.  What fails is reported in the log,
 * and the job goes on.
 */
final class Recorder implements Runnable {
	private static final Logger log = LoggerFactory.getLogger(Recorder.class);
	private static final int TRIES = 3;

	private final SparkConf conf;
	private final String name, suffix;
	private final long interval, least;
	private final File scratch;
	private final Thread thread;
	private int running;
	private boolean idle, ended;

	static Recorder start(SparkConf conf, String name) {
		try {
			return new Recorder(conf, name);
		} catch (IOException | RuntimeException e) {
			log.warn("FlamePlugin: not recorded: {}", e.toString());
			return null;
		}
	}

	private Recorder(SparkConf conf, String name) throws IOException {
		this.conf = conf;
		this.name = name;
		suffix = conf.get("spark.flame.suffix", ".ndjson.gz");
		interval = conf.getTimeAsMs("spark.flame.interval", "5min");
		least = conf.getTimeAsMs("spark.flame.least", "10s");
		scratch = Files.createTempDirectory("flame").toFile();
		thread = new Thread(this, "flame-recorder");
		thread.setDaemon(true);
		thread.start();
	}

	synchronized void taskStarted() {
		running++;
		idle = false;
	}

	synchronized void taskEnded() {
		idle = --running <= 0;
		notifyAll();
	}

	/** Ends the last part, and waits until it is copied. */
	void stop() {
		synchronized (this) {
			ended = true;
			notifyAll();
		}
		try {
			thread.join(30000);
		} catch (InterruptedException e) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void run() {
		try {
			String binary = binary();
			int failures = 0;

			for (int part = 1; failures < TRIES && !hasEnded(); part++)
				failures = record(binary, part) ? 0 : failures + 1;
			if (failures == TRIES)
				log.warn("FlamePlugin: {} is not recorded any more",
					 name);
		} catch (IOException e) {
			log.warn("FlamePlugin: {}: {}", name, e.toString());
		} catch (InterruptedException e) {
			Thread.currentThread().interrupt();
		} finally {
			for (File file : scratch.listFiles())
				file.delete();
			scratch.delete();
		}
	}

	private synchronized boolean hasEnded() {
		return ended;
	}

	/** Until the part shall end; the process may end by itself. */
	private synchronized void await(Process process) throws InterruptedException {
		long begun = System.nanoTime(), age = 0;

		idle = false;
		while (!ended && process.isAlive() && age < interval &&
		       !(idle && age >= least)) {
			wait(Math.min(1000, interval - age));
			age = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
		}
	}

	private boolean record(String binary, int part)
			throws IOException, InterruptedException {
		File file = new File(scratch, name + "-" + part + suffix);
		File said = new File(scratch, "said");
		List<String> command = new ArrayList<>(Arrays.asList(binary, "-p",
			// Java 8 has no other way.
			new File("/proc/self").getCanonicalFile().getName(),
			"-o", file.getPath()));

		for (String word : conf.get("spark.flame.args", "-F 99").split("\\s+"))
			if (!word.isEmpty())
				command.add(word);
		Process process = new ProcessBuilder(command)
			.redirectErrorStream(true).redirectOutput(said).start();
		process.getOutputStream().close();
		await(process);
		process.destroy();
		if (!process.waitFor(60, TimeUnit.SECONDS))
			process.destroyForcibly().waitFor();
		if (process.exitValue() != 0 || !file.exists()) {
			log.warn("FlamePlugin: {}: {}", name, new String(
				Files.readAllBytes(said.toPath()),
				StandardCharsets.UTF_8).trim());
			return false;
		}
		return copy(file);
	}

	private boolean copy(File file) {
		// Plugins begin before a driver knows its application.
		Path folder = new Path(conf.get(FlamePlugin.FOLDER),
				       conf.get("spark.app.id", "application"));
		Path to = new Path(folder, file.getName());
		Path part = new Path(folder, "." + file.getName() + ".part");

		try {
			FileSystem system = to.getFileSystem(hadoop());

			// It appears whole or not at all.
			system.copyFromLocalFile(true, true,
						 new Path(file.toURI()), part);
			if (!system.rename(part, to))
				throw new IOException(to + ": not renamed");
			log.info("FlamePlugin: {}", to);
			return true;
		} catch (IOException | RuntimeException e) {
			log.warn("FlamePlugin: {} is lost: {}", to, e.toString());
			return false;
		}
	}

	private Configuration hadoop() {
		Configuration hadoop = new Configuration();

		for (Tuple2<String, String> one : conf.getAllWithPrefix("spark.hadoop."))
			hadoop.set(one._1(), one._2());
		return hadoop;
	}

	/** As set, as the jar has it for this machine, or as PATH has it. */
	private String binary() throws IOException {
		String arch = System.getProperty("os.arch").replace("amd64", "x86_64");
		String set = conf.get("spark.flame.recorder", "");
		File own = new File(scratch, "flame-record");

		if (!set.isEmpty())
			return set;
		try (InputStream in = Recorder.class.getResourceAsStream(
				"/libflame/linux-" + arch + "/flame-record")) {
			if (in == null)
				return "flame-record";
			Files.copy(in, own.toPath(),
				   StandardCopyOption.REPLACE_EXISTING);
		}
		if (!own.setExecutable(true))
			throw new IOException(own + " cannot be made executable");
		return own.getPath();
	}
}
