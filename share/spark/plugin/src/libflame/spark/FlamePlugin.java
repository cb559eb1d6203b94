// SPDX-License-Identifier: Apache-2.0
package libflame.spark;

import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Records each executor by flame-record, which it starts beside it: see README.
 */
public final class FlamePlugin implements SparkPlugin {
	static final String FOLDER = "spark.flame.dfsDir";

	@Override
	public DriverPlugin driverPlugin() {
		return new OfDriver();
	}

	@Override
	public ExecutorPlugin executorPlugin() {
		return new OfExecutor();
	}

	private static final class OfDriver implements DriverPlugin {
		private Recorder recorder;

		@Override
		public Map<String, String> init(SparkContext sc, PluginContext context) {
			SparkConf conf = context.conf();

			// A job is not stopped in its middle for a missing option.
			if (conf.get(FOLDER, "").isEmpty())
				throw new IllegalArgumentException("FlamePlugin: set " +
					FOLDER + " to the folder for recordings");
			// In local mode, the one executor is in this process.
			if (conf.getBoolean("spark.flame.driver", false) &&
			    !sc.isLocal())
				recorder = Recorder.start(conf, "driver");
			return java.util.Collections.emptyMap();
		}

		@Override
		public void shutdown() {
			if (recorder != null)
				recorder.stop();
		}
	}

	private static final class OfExecutor implements ExecutorPlugin {
		private Recorder recorder;

		@Override
		public void init(PluginContext context, Map<String, String> extra) {
			SparkConf conf = context.conf();

			if (Math.random() < conf.getDouble("spark.flame.fraction", 1))
				recorder = Recorder.start(conf,
					"exec-" + context.executorID());
		}

		@Override
		public void onTaskStart() {
			if (recorder != null)
				recorder.taskStarted();
		}

		@Override
		public void onTaskSucceeded() {
			if (recorder != null)
				recorder.taskEnded();
		}

		@Override
		public void onTaskFailed(org.apache.spark.TaskFailedReason reason) {
			onTaskSucceeded();
		}

		@Override
		public void shutdown() {
			if (recorder != null)
				recorder.stop();
		}
	}
}
