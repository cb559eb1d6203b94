/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.spark.rdd;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/* An access log: written once, read again by every map task. */
public final class LogFile {
	private static final Pattern LINE = Pattern.compile(
	    "(\\d+)\\s+\"(GET|POST|HEAD) (/[^ ]*) HTTP/1\\.[01]\" (\\d{3}) (\\d+) .*");
	private final Path path;
	private final int lines;

	public LogFile(Path path, int lines) throws IOException {
		this.path = path;
		this.lines = lines;
		Random random = new Random(42);
		try (BufferedWriter out = Files.newBufferedWriter(path)) {
			for (int i = 0; i < lines; i++) {
				out.write(line(i, random));
				out.newLine();
			}
		}
	}

	private static String line(int i, Random random) {
		String item = random.nextInt(5) == 0
		    ? "/Help/Topic-" + random.nextInt(50)
		    : "/Shop/Item/" + random.nextInt(3000);
		return 1750000000L + i + " \"GET " + item + " HTTP/1.1\" "
		    + (random.nextInt(40) == 0 ? 503 : 200) + " "
		    + random.nextInt(90000) + " agent-" + random.nextInt(9);
	}

	public Iterator<String> lines(int partition, int partitions) throws IOException {
		int from = (int) ((long) lines * partition / partitions);
		int to = (int) ((long) lines * (partition + 1) / partitions);
		List<String> mine = new ArrayList<>();
		try (BufferedReader in = Files.newBufferedReader(path)) {
			String line;
			for (int i = 0; i < to && (line = in.readLine()) != null; i++)
				if (i >= from)
					mine.add(line);
		}
		return mine.iterator();
	}

	public static Iterator<Row> parse(String line) {
		Matcher m = LINE.matcher(line);
		if (!m.matches())
			return Collections.emptyIterator();
		Row row = new Row(m.group(3), Integer.parseInt(m.group(4)),
		    Long.parseLong(m.group(5)));
		return Collections.singleton(row).iterator();
	}

	public void delete() throws IOException {
		Files.delete(path);
	}
}
