/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that stand still, and their dumps as programs that ask the JVM from
 * inside write them: ThreadInfo's text, VisualVM's and JConsole's, Jenkins's,
 * Spring Boot's actuator.  Waits until DIR/done is there.
 */
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

public class Dumps {
	static final Object lock = new Object(), other = new Object();

	static class Task implements Runnable {
		final int kind;

		Task(int kind) {
			this.kind = kind;
		}

		public void run() {
			try {
				work();
			} catch (InterruptedException e) {
				return;
			}
		}

		void work() throws InterruptedException {
			switch (kind) {
			case 0 -> sleep();
			case 1 -> wait_();
			case 2 -> LockSupport.park();
			case 3 -> blocked();
			default -> hold();
			}
		}

		void sleep() throws InterruptedException {
			Thread.sleep(600000);
		}

		void wait_() throws InterruptedException {
			synchronized (other) {
				other.wait();
			}
		}

		void blocked() {
			synchronized (lock) {
				System.out.println("never");
			}
		}

		void hold() throws InterruptedException {
			synchronized (lock) {
				Thread.sleep(600000);
			}
		}
	}

	static ThreadInfo[] infos() {
		return ManagementFactory.getThreadMXBean().dumpAllThreads(true, true);
	}

	static String frames(ThreadInfo info) {
		StringBuilder text = new StringBuilder();

		for (StackTraceElement frame : info.getStackTrace())
			text.append("\tat ").append(frame).append('\n');
		return text.append('\n').toString();
	}

	static String json(StackTraceElement f) {
		return "{\"className\":\"" + f.getClassName() +
			"\",\"methodName\":\"" + f.getMethodName() +
			"\",\"fileName\":\"" + f.getFileName() +
			"\",\"lineNumber\":" + f.getLineNumber() +
			",\"nativeMethod\":" + f.isNativeMethod() + "}";
	}

	static void write(Path dir) throws Exception {
		try (PrintWriter info = new PrintWriter(dir.resolve("threadinfo").toFile());
		     PrintWriter visual = new PrintWriter(dir.resolve("visualvm").toFile());
		     PrintWriter jenkins = new PrintWriter(dir.resolve("jenkins").toFile());
		     PrintWriter actuator = new PrintWriter(dir.resolve("actuator").toFile())) {
			String comma = "";

			visual.println("2026-11-21 10:00:00\nFull thread dump OpenJDK (x mixed mode):\n");
			actuator.print("{\"threads\":[");
			for (ThreadInfo i : infos()) {
				info.print(i);
				visual.print("\"" + i.getThreadName() + "\" - Thread t@" +
					i.getThreadId() + "\n   java.lang.Thread.State: " +
					i.getThreadState() + "\n" + frames(i));
				jenkins.print("\"" + i.getThreadName() + "\" Id=" +
					i.getThreadId() + " Group=main " +
					i.getThreadState() + "\n" + frames(i));
				actuator.print(comma + "{\"threadName\":\"" +
					i.getThreadName() + "\",\"threadId\":" +
					i.getThreadId() + ",\"threadState\":\"" +
					i.getThreadState() + "\",\"stackTrace\":[");
				comma = "";
				for (StackTraceElement f : i.getStackTrace()) {
					actuator.print(comma + json(f));
					comma = ",";
				}
				actuator.print("]}");
				comma = ",";
			}
			actuator.println("]}");
		}
	}

	public static void main(String[] args) throws Exception {
		Path dir = Path.of(args[0]);
		String[] names = { "sleep", "wait", "park", "hold", "blocked" };
		int[] kinds = { 0, 1, 2, 4, 3 };

		for (int i = 0; i < kinds.length; i++) {
			Thread thread = new Thread(new Task(kinds[i]), "app-" + names[i]);

			thread.setDaemon(true);
			thread.start();
			while (thread.getState() == Thread.State.RUNNABLE ||
			       thread.getState() == Thread.State.NEW)
				Thread.sleep(20);
			Thread.sleep(200);
		}
		write(dir);
		Files.createFile(dir.resolve("ready"));
		for (int i = 0; i < 1200 && !Files.exists(dir.resolve("done")); i++)
			Thread.sleep(100);
	}
}
