/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens recordings with the parser of JDK Mission Control: the number of events
 * of each type.  A line "FILE TYPE COUNT" each.
 */
import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;

public class JmcEvents {
	public static void main(String[] files) {
		for (String file : files)
			read(file);
	}

	static void read(String file) {
		Map<String, Integer> counts = new TreeMap<>();

		try {
			for (IItemIterable items :
			     JfrLoaderToolkit.loadEvents(new File(file)))
				for (IItem item : items)
					counts.merge(item.getType()
						.getIdentifier(), 1,
						Integer::sum);
			counts.forEach((name, n) -> System.out.println(
				file + " " + name + " " + n));
		} catch (Throwable e) {
			System.out.println(file + " failed " + e);
		}
	}
}
