/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads recordings with the parser of the JDK, which `jfr summary` and `jfr
 * print` use: the number of events of each type, all of whose fields are made
 * into text.  A line "FILE TYPE COUNT" each.
 */
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

public class Recordings {
	public static void main(String[] files) throws Exception {
		for (String file : files)
			read(file);
	}

	static void read(String file) {
		Map<String, Integer> counts = new TreeMap<>();

		try (RecordingFile in = new RecordingFile(Path.of(file))) {
			while (in.hasMoreEvents()) {
				RecordedEvent event = in.readEvent();

				if (event.toString().isEmpty())
					throw new Exception("no text");
				counts.merge(event.getEventType().getName(), 1,
					Integer::sum);
			}
			counts.forEach((name, n) -> System.out.println(
				file + " " + name + " " + n));
		} catch (Throwable e) {
			System.out.println(file + " failed " + e);
		}
	}
}
