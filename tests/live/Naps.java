// SPDX-License-Identifier: Apache-2.0
// A Spark job whose tasks sleep, so that its time depends on its cores and on
// how long they sleep, and not on what else the machine does: equal tasks, one
// that is longer than the others, a driver that waits, two inputs that are
// joined, and two jobs side by side.  Naps FACTOR SECONDS: FACTOR scales slowNap,
// SECONDS is how long the tasks of the first stage sleep, and scales all others.
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

public class Naps {
	static double factor, unit;

	static void nap(double seconds) {
		try {
			Thread.sleep((long) (seconds * 1000));
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	static void slowNap(double seconds) {
		if (seconds > 0)
			nap(seconds);
	}

	static void sleep(boolean slow, double seconds) {
		if (slow)
			slowNap(seconds);
		else
			nap(seconds);
	}

	// Pairs of n partitions, whose tasks sleep; the first one for longer.
	static JavaPairRDD<Integer, Integer> pairs(JavaSparkContext sc, int n,
			boolean slow, double first, double others) {
		List<Integer> numbers = new ArrayList<>();
		final double scale = slow ? factor * unit : unit;

		for (int i = 0; i < n * 10; i++)
			numbers.add(i);
		return sc.parallelize(numbers, n).mapPartitionsWithIndex(
			(i, it) -> {
				sleep(slow, scale * (i == 0 ? first : others));
				return it;
			}, false).mapToPair(x -> new Tuple2<>(x % 5, x));
	}

	static <T> long count(org.apache.spark.api.java.JavaRDD<T> rdd,
			double seconds) {
		final double scaled = seconds * unit;

		return rdd.mapPartitionsWithIndex((i, it) -> {
			nap(scaled);
			return (Iterator<T>) it;
		}, false).count();
	}

	static Thread start(JavaSparkContext sc, String name, boolean slow,
			double seconds) {
		Thread thread = new Thread(() -> {
			sc.setJobDescription(name);
			pairs(sc, 6, slow, seconds, seconds).count();
		});
		thread.start();
		return thread;
	}

	public static void main(String[] args) throws Exception {
		factor = Double.parseDouble(args[0]);
		unit = Double.parseDouble(args[1]);
		JavaSparkContext sc = new JavaSparkContext(
			new SparkConf().setAppName("naps"));
		sc.setJobDescription("warm up");
		count(pairs(sc, 16, false, 0, 0)
			.reduceByKey((x, y) -> x + y, 8).values(), 0);
		sc.setJobDescription("even");
		count(pairs(sc, 16, false, 1, 1)
			.reduceByKey((x, y) -> x + y, 8).values(), .5);
		sc.setJobDescription("skewed");
		pairs(sc, 16, true, 9, .6).count();
		nap(3 * unit);
		sc.setJobDescription("join");
		count(pairs(sc, 8, true, 1.5, 1.5).join(
			pairs(sc, 8, false, 1, 1), 6).values(), .7);
		Thread[] threads = {
			start(sc, "side A", true, 1.2),
			start(sc, "side B", false, .8),
		};
		for (Thread thread : threads)
			thread.join();
		sc.stop();
	}
}
