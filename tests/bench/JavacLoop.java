/* SPDX-License-Identifier: Apache-2.0 */

import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.tools.*;

/**
 * Compiles Java sources again and again: few programs have more different
 * stacks, or deeper ones, than javac.
 *
 *	java JavacLoop.java SECONDS THREADS OUTPUT-DIRECTORY SOURCE...
 */
public class JavacLoop {
	static void compile(List<File> sources, Path out) throws IOException {
		JavaCompiler javac = ToolProvider.getSystemJavaCompiler();

		try (StandardJavaFileManager files =
		     javac.getStandardFileManager(d -> { }, null, null)) {
			javac.getTask(new StringWriter(), files, d -> { },
				List.of("-proc:none", "-nowarn", "-d",
					out.toString()), null,
				files.getJavaFileObjectsFromFiles(sources))
			     .call();
		}
	}

	static void loop(long end, List<File> sources, Path out) {
		try {
			do
				compile(sources, Files.createDirectories(out));
			while (System.nanoTime() < end);
		} catch (IOException e) {
			throw new UncheckedIOException(e);
		}
	}

	public static void main(String[] args) throws InterruptedException {
		long end = System.nanoTime() +
			   Long.parseLong(args[0]) * 1_000_000_000L;
		int n = Integer.parseInt(args[1]);
		List<File> sources = Arrays.stream(args).skip(3)
			.map(File::new).collect(Collectors.toList());
		List<Thread> threads = new ArrayList<>();

		for (int i = 0; i < n; i++) {
			Path out = Paths.get(args[2], "t" + i);

			threads.add(new Thread(() -> loop(end, sources, out),
					       "javac-" + i));
		}
		threads.forEach(Thread::start);
		for (Thread thread : threads)
			thread.join();
	}
}
