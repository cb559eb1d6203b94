# SPDX-License-Identifier: Apache-2.0
# The library: one set of objects (libfl), installed as libflamegraph.

# The base, which tests of it alone are linked with.
noinst_LTLIBRARIES += libfl-base.la
libfl_base_la_CFLAGS = $(FLAME_OBJECTS) $(AM_CFLAGS)
libfl_base_la_LIBADD = $(DEPS_PRIVATE)
libfl_base_la_SOURCES = libflame/flame.h libflame/fl.h \
	libflame/base/base.h libflame/base/block.h \
	libflame/base/decimal.c libflame/base/demangle.c \
	libflame/base/demangle.h libflame/base/demangle_rust.c \
	libflame/base/dense.c libflame/base/dense.h \
	libflame/base/hash.c libflame/base/late.c \
	libflame/base/late.h libflame/base/memory.c libflame/base/nearest.c \
	libflame/base/os.c libflame/base/os.h \
	libflame/base/number.c libflame/base/protobuf.c \
	libflame/base/protobuf.h libflame/base/regex.c \
	libflame/base/report.c libflame/base/secrets.c libflame/base/report.h \
	libflame/base/sort.h \
	libflame/base/statistics.c libflame/base/statistics.h \
	libflame/base/utf8.c

noinst_LTLIBRARIES += libfl.la
libfl_la_CFLAGS = $(FLAME_OBJECTS) $(AM_CFLAGS)
libfl_la_LIBADD = libfl-base.la $(DEPS_LIBS) $(DEPS_PRIVATE)
libfl_la_SOURCES = \
	libflame/io/read_ahead.c libflame/io/read_ahead.h \
	libflame/io/bzip2.c libflame/io/decoders.c libflame/io/decoders.h \
	libflame/io/gzip.c libflame/io/in.c libflame/io/input.h \
	libflame/io/io.h libflame/io/layer.c \
	libflame/io/java_blocks.c libflame/io/json.c libflame/io/json.h \
	libflame/io/json_probe.c \
	libflame/io/log.c libflame/io/log.h libflame/io/log_json.c \
	libflame/io/log_pattern.c \
	libflame/io/log_prefix.c \
	libflame/io/lz4.c libflame/io/mapped.c libflame/io/mapped.h \
	libflame/io/out.c libflame/io/pack.c libflame/io/pack.h \
	libflame/io/scheme.c libflame/io/scheme.h \
	libflame/io/screen.c libflame/io/screen.h \
	libflame/remote/azure.c libflame/remote/client.c libflame/remote/client.h \
	libflame/remote/dbfs.c libflame/remote/gs.c \
	libflame/remote/hadoop_stores.c libflame/remote/http.c \
	libflame/remote/oss.c libflame/remote/ozone.c \
	libflame/remote/command.c libflame/remote/command.h libflame/remote/listing.c \
	libflame/remote/client_listing.c libflame/remote/listing.h \
	libflame/remote/protocol.h libflame/remote/s3_listing.c \
	libflame/remote/s3_protocol.c libflame/remote/webhdfs.c \
	libflame/remote/hadoop.c libflame/remote/hadoop.h \
	libflame/remote/hadoop_token.c libflame/remote/hadoop_token.h \
	libflame/remote/hdfs.c libflame/remote/hdfs.h libflame/remote/hdfs_token.c \
	libflame/remote/s3.c libflame/remote/s3.h libflame/remote/schemes.c \
	libflame/remote/schemes.def \
	libflame/remote/stall.c libflame/remote/stall.h \
	libflame/io/container.c libflame/io/container.h \
	libflame/container/containers.c libflame/container/containers.h \
	libflame/container/containers.def libflame/container/tar.c \
	libflame/remote/upload.h libflame/remote/url.h libflame/remote/url_text.c libflame/io/utf16.c \
	libflame/io/xml.c libflame/io/xml.h \
	libflame/container/yarn.c libflame/container/yarn.h libflame/container/yarn_index.c \
	libflame/io/xz.c libflame/container/zip.c \
	libflame/io/zstd.c libflame/io/zstd.h \
	libflame/dict/absorb.c libflame/dict/dict.c libflame/dict/dict.h \
	libflame/dict/frames.c libflame/dict/java.c libflame/dict/java.h \
	libflame/dict/java_class.c libflame/dict/java_plain.c \
	libflame/dict/labels.c libflame/dict/metrics.c \
	libflame/dict/overlap.c \
	libflame/dict/stack_lookup.c libflame/dict/names.c libflame/dict/stacks.c \
	libflame/dict/tables.h \
	libflame/flow/archive.c libflame/flow/archive.h \
	libflame/flow/flow.h libflame/flow/parts.c libflame/flow/choose_metric.c \
	libflame/flow/read_ahead.c libflame/flow/read_job.c libflame/flow/options.c \
	libflame/flow/options.h libflame/flow/thread_pool.c \
	libflame/flow/pump.c \
	libflame/flow/runs.c libflame/flow/runs.h \
	libflame/flow/metric_times.c libflame/flow/metric_times.h \
	libflame/flow/times.c libflame/flow/times.h \
	libflame/io/path_labels.c libflame/io/path_labels.h \
	libflame/flow/select.c libflame/flow/sink.c libflame/flow/source.c \
	libflame/flow/sums.c libflame/flow/text.c \
	libflame/filter/address.c libflame/filter/by.c \
	libflame/filter/classes.c libflame/filter/classify.c \
	libflame/filter/cut.c libflame/filter/dated.c libflame/filter/filter.h \
	libflame/filter/filters.c libflame/filter/filters.def \
	libflame/filter/grain.c \
	libflame/filter/keep.c \
	libflame/filter/label.c libflame/filter/min.c \
	libflame/filter/naming.c libflame/filter/no_stack.c \
	libflame/filter/processes.c \
	libflame/filter/rename.c libflame/filter/reverse.c \
	libflame/filter/rewrite.c libflame/filter/root.c \
	libflame/filter/skip.c \
	libflame/filter/split.c libflame/filter/values.c \
	libflame/filter/thread_task.c \
	libflame/native/bare.c libflame/native/bare.h \
	libflame/native/cfi.c libflame/native/cfi.h \
	libflame/native/cfi_expression.c libflame/native/dwarf.h \
	libflame/native/elf.c libflame/native/elf.h \
	libflame/native/frame.c libflame/native/frame.h \
	libflame/native/go_functions.c \
	libflame/native/jitdump.c libflame/native/jitdump.h \
	libflame/native/mappings.c \
	libflame/native/files.c libflame/native/files.h \
	libflame/native/module.c libflame/native/module.h \
	libflame/native/names.c libflame/native/names.h \
	libflame/native/plain_name.c libflame/native/plain_name.h \
	libflame/native/process.h \
	libflame/native/stubs.c \
	libflame/native/symbols.c libflame/native/symbols.h \
	libflame/native/unwind.c libflame/native/unwind.h \
	libflame/spark/align.c libflame/spark/align.h \
	libflame/spark/bill.c libflame/spark/bill.h \
	libflame/spark/bill_driver.c libflame/spark/bill_frames.c libflame/spark/bill_sick.c \
	libflame/spark/bill_slow.c \
	libflame/spark/causes.c libflame/spark/clock.c \
	libflame/spark/cost.c libflame/spark/cost.h \
	libflame/spark/critical.c libflame/spark/critical.h \
	libflame/spark/event.c libflame/spark/event.h \
	libflame/spark/events.c libflame/spark/failures.c \
	libflame/spark/files.c \
	libflame/spark/log.c libflame/spark/operators.c \
	libflame/spark/operators.h \
	libflame/spark/join.c libflame/spark/join.h \
	libflame/spark/join_tasks.c libflame/spark/labels.c \
	libflame/spark/on_task.c libflame/spark/on_task.h \
	libflame/spark/plan.c libflame/spark/python.c \
	libflame/spark/replay.c libflame/spark/replay.h \
	libflame/spark/replay_run.c \
	libflame/spark/spark.h \
	libflame/spark/tables.c libflame/spark/tasks.c \
	libflame/spark/thread_name.c libflame/spark/what_if.c \
	libflame/filter/tidy.c libflame/filter/tidy.h \
	libflame/filter/tidy_java.c libflame/filter/tidy_native.c \
	libflame/filter/root_frames.c \
	libflame/format/asprof.c libflame/format/csv.c \
	libflame/format/callgrind/callgrind.c \
	libflame/format/callgrind/callgrind.h \
	libflame/format/callgrind/stacks.c \
	libflame/format/heaptrack.c libflame/format/hpl.c \
	libflame/format/mojo.c \
	libflame/format/v8_log.c libflame/format/xctrace.c \
	libflame/format/json/dhat.c libflame/format/json/perf.c \
	libflame/format/json/safari.c \
	libflame/format/outline/ghc.c libflame/format/outline/graal.c \
	libflame/format/outline/instruments.c \
	libflame/format/outline/massif.c \
	libflame/format/outline/node_prof.c \
	libflame/format/outline/outline.c \
	libflame/format/outline/outline.h \
	libflame/format/outline/pmcstat.c \
	libflame/format/outline/tree.c libflame/format/outline/tree_xml.c \
	libflame/format/outline/vsprof.c \
	libflame/format/stap.c libflame/format/xdebug.c \
	libflame/format/bpftrace/bpftrace.c libflame/format/bpftrace/prints.c \
	libflame/format/bpftrace/prints.h libflame/format/dtrace.c \
	libflame/format/dump.c libflame/format/empty.c \
	libflame/format/faulthandler.c \
	libflame/format/format.h libflame/format/formats.h \
	libflame/format/formats.c \
	libflame/format/formats.def \
	libflame/format/gdb.c libflame/format/goroutine.c \
	libflame/format/kernel_stack.c libflame/format/perf_trace.c \
	libflame/format/phpspy.c libflame/format/rprof.c \
	libflame/format/timehist.c \
	libflame/format/hprof.c libflame/format/json/jvm_profiler.c \
	libflame/format/json/memray.c libflame/format/picture/json_page.c \
	libflame/format/bcc.c libflame/format/dotnet_stack.c \
	libflame/format/hadoop_stacks.c libflame/format/hot_threads.c \
	libflame/format/memray_csv.c libflame/format/strace.c \
	libflame/format/interchange.c \
	libflame/format/jstack/jstack.c \
	libflame/format/jstack/jstack.h \
	libflame/format/jstack/jstack_header.c \
	libflame/format/line_reader.c libflame/format/lines.c libflame/format/lldb.c \
	libflame/format/native.c \
	libflame/format/pyspy-dump.c libflame/format/sample.c \
	libflame/format/statsd_lines.c libflame/format/statsd_names.c \
	libflame/format/unreadable.c libflame/format/unreadable.h \
	libflame/format/vtune.c \
	libflame/format/java_frame.c \
	libflame/format/json/d3.c libflame/format/json/dart.c \
	libflame/format/json/flamebearer.c \
	libflame/format/json/fields.c libflame/format/json/fields.h \
	libflame/format/json/firefox.c \
	libflame/format/json/firefox_tables.c \
	libflame/format/json/firefox_tables.h \
	libflame/format/json/frame_trie.c \
	libflame/format/json/frame_trie.h \
	libflame/format/json/pyinstrument.c \
	libflame/format/json/source.c libflame/format/json/source.h \
	libflame/format/json/speedscope.c \
	libflame/format/json/stackprof.c libflame/format/json/statsd.c \
	libflame/format/json/sentry.c libflame/format/json/tachyon.c \
	libflame/format/json/scalene.c \
	libflame/format/json/threads.c \
	libflame/format/json/trace.h \
	libflame/format/json/trace_event.c \
	libflame/format/json/trace_profiles.c \
	libflame/format/json/trace_stacks.c \
	libflame/format/json/tree.c libflame/format/json/tree.h \
	libflame/format/json/v8.c libflame/format/json/v8.h \
	libflame/format/json/v8_heap.c \
	libflame/format/folded/folded.h libflame/format/folded/join.c \
	libflame/format/folded/frame_cache.c \
	libflame/format/folded/light.c libflame/format/folded/plain.c \
	libflame/format/folded/read.c \
	libflame/format/folded/sniff.c libflame/format/folded/stack.c \
	libflame/format/folded/table.c \
	libflame/format/folded/thread.c \
	libflame/format/folded/write.c \
	libflame/format/jfr/chunk.c libflame/format/jfr/chunk.h \
	libflame/format/jfr/decoder.c libflame/format/jfr/dumps.c \
	libflame/format/jfr/emit.c \
	libflame/format/jfr/event.c libflame/format/jfr/events.h \
	libflame/format/jfr/field.c libflame/format/jfr/fixed_layout.c \
	libflame/format/jfr/frame.c libflame/format/jfr/framing.c \
	libflame/format/jfr/framing.h libflame/format/jfr/grain.c \
	libflame/format/jfr/hit.c libflame/format/jfr/holder.c \
	libflame/format/jfr/info.c \
	libflame/format/jfr/leak.c libflame/format/jfr/meta.c \
	libflame/format/jfr/metric.c libflame/format/jfr/pool.c \
	libflame/format/jfr/pools.h libflame/format/jfr/read_ahead.c \
	libflame/format/jfr/readers.h libflame/format/jfr/recording.c \
	libflame/format/jfr/repeat.c \
	libflame/format/jfr/recording.h libflame/format/jfr/rows.c \
	libflame/format/jfr/samples.h libflame/format/jfr/scan.c \
	libflame/format/jfr/select.c libflame/format/jfr/source.c \
	libflame/format/jfr/source.h libflame/format/jfr/span.c \
	libflame/format/jfr/span_pass.c libflame/format/jfr/stack.c \
	libflame/format/jfr/string.c libflame/format/jfr/sum.c \
	libflame/format/jfr/text.c \
	libflame/format/jfr/timed.c libflame/format/jfr/timed.h \
	libflame/format/jfr/timed_layout.c \
	libflame/format/jfr/timing.c libflame/format/jfr/trace.c \
	libflame/format/jfr/traces.h \
	libflame/format/jfr/types.h libflame/format/jfr/v0/chunk.c \
	libflame/format/jfr/v0/internal.h libflame/format/jfr/v0/meta.c \
	libflame/format/jfr/v0/names.c libflame/format/jfr/v0/v0.h \
	libflame/format/jfr/v0/values.c libflame/format/jfr/wire.c \
	libflame/format/jfr/wire.h libflame/format/jfr/write.c \
	libflame/format/perf/columns.c libflame/format/perf/compat.c \
	libflame/format/perf/data/chain.c libflame/format/perf/data/data.c \
	libflame/format/perf/data/data.h libflame/format/perf/data/event.c \
	libflame/format/perf/data/build_id.c libflame/format/perf/data/file.c \
	libflame/format/perf/data/order.c \
	libflame/format/perf/data/process.c \
	libflame/format/perf/data/sample.c \
	libflame/format/perf/data/tracing.c \
	libflame/format/perf/data/unpack.c \
	libflame/format/perf/event.c libflame/format/perf/frame.c \
	libflame/format/perf/frame.h libflame/format/perf/header.c \
	libflame/format/perf/header.h libflame/format/perf/inline.h \
	libflame/format/perf/lines.c libflame/format/perf/lines.h \
	libflame/format/perf/non_samples.c libflame/format/perf/parts.c \
	libflame/format/perf/perf.c libflame/format/perf/probe.c \
	libflame/format/perf/reader.h libflame/format/perf/record.c \
	libflame/format/perf/line_cache.c libflame/format/perf/text.h \
	libflame/format/otlp/dictionary.c libflame/format/otlp/json.c libflame/format/otlp/layout.c \
	libflame/format/otlp/otlp.c libflame/format/otlp/otlp.h \
	libflame/format/otlp/write.c \
	libflame/format/picture/asprof.c \
	libflame/format/picture/asprof_tree.c \
	libflame/format/picture/counts.c \
	libflame/format/picture/html.c libflame/format/picture/own.c \
	libflame/format/picture/picture.h libflame/format/picture/place.c \
	libflame/format/picture/probe.c libflame/format/picture/svg.c \
	libflame/format/picture/title.c \
	libflame/format/parquet/encode.c libflame/format/parquet/parquet.h \
	libflame/format/parquet/nodes.c \
	libflame/format/parquet/read.c libflame/format/parquet/thrift.c \
	libflame/format/parquet/write.c \
	libflame/format/pprof/labels.c libflame/format/pprof/legacy.c libflame/format/pprof/pprof.h \
	libflame/format/pprof/prune.c \
	libflame/format/pprof/raw.c libflame/format/pprof/raw_line.c \
	libflame/format/pprof/read.c \
	libflame/format/pprof/samples.c libflame/format/pprof/traces.c \
	libflame/format/pprof/tables.c \
	libflame/format/pprof/text.c libflame/format/pprof/write.c \
	libflame/tree/flame_chart.c libflame/tree/layout_parallel.c \
	libflame/tree/layout_internal.h libflame/tree/layout.c \
	libflame/tree/order.c libflame/tree/order.h \
	libflame/tree/pruned_layout.c libflame/tree/pruned_layout.h \
	libflame/tree/metric_trees.c \
	libflame/tree/samples.c libflame/tree/samples.h \
	libflame/tree/gist.c \
	libflame/tree/words.c libflame/tree/works.c libflame/tree/works.h \
	libflame/tree/top.c libflame/tree/scale.c libflame/tree/origins.c libflame/tree/origins.h \
	libflame/tree/sort_layout.c \
	libflame/tree/tree.c libflame/tree/tree.h \
	libflame/tree/steps.c libflame/tree/trials.c libflame/tree/trials.h \
	libflame/tree/trials_explain.c libflame/tree/trials_judge.c \
	libflame/tree/trials_measure.c \
	libflame/draw/frame_color.c libflame/draw/caption.c \
	libflame/draw/classic.c libflame/draw/draw.h \
	libflame/draw/html.c libflame/draw/html.h \
	libflame/draw/html_about.c libflame/draw/said.c libflame/draw/html_viewer.c \
	libflame/draw/nameattr.c libflame/draw/pack.c \
	libflame/draw/compare.c libflame/draw/palette.c \
	libflame/draw/page.c libflame/draw/page.h \
	libflame/draw/page_options.c libflame/draw/markup.c \
	libflame/write/rows.c libflame/write/rows.h libflame/write/spell.c \
	libflame/draw/svg.c \
	libflame/draw/svg.h libflame/draw/svg_frames.c \
	libflame/draw/svg_trunk.c \
	libflame/write/columns.c libflame/write/pieces.c libflame/write/firefox.c \
	libflame/write/trace_event.c libflame/write/bill_json.c libflame/draw/budget.c \
	libflame/write/speedscope.c libflame/write/timeline.c \
	libflame/write/timeline.h \
	libflame/write/table.c libflame/draw/text.c libflame/write/tree_json.c

# Where elfutils is: inlined functions.
if LIBDW
libfl_la_SOURCES += libflame/format/perf/inline.c \
	libflame/native/debug.c libflame/native/debug.h \
	libflame/native/inlined.c libflame/native/inlined.h \
	libflame/native/scopes.c libflame/native/scopes.h
endif

# Where libcurl is: inputs and outputs that are URLs.
if LIBCURL
libfl_la_SOURCES += libflame/remote/upload.c libflame/remote/url.c
endif

# flame-record's parts; not in the installed library, of which they need what
# flame.map has for LIBFLAME_PRIVATE.
if SAMPLER
noinst_LTLIBRARIES += libflsample.la
libflsample_la_CFLAGS = $(FLAME_OBJECTS) $(AM_CFLAGS)
libflsample_la_SOURCES = libflame/sample/apart.c libflame/sample/apart.h \
	libflame/sample/apart_stream.c \
	libflame/sample/attach.c \
	libflame/sample/blocked.c libflame/sample/blocked.h \
	libflame/sample/check.c \
	libflame/sample/confine.c \
	libflame/sample/counted.c \
	libflame/sample/cpython.c libflame/sample/cpython.h \
	libflame/sample/cpython_code.c \
	libflame/sample/cpython_lines.c \
	libflame/sample/cpython_loop.c \
	libflame/sample/cpython_merge.c \
	libflame/sample/demangle.c \
	libflame/sample/hotspot.c libflame/sample/hotspot.h \
	libflame/sample/hotspot_code.c \
	libflame/sample/hotspot_layout.c \
	libflame/sample/hotspot_lines.c \
	libflame/sample/hotspot_methods.c \
	libflame/sample/hotspot_threads.c \
	libflame/sample/jvm_events.c libflame/sample/jvm_events.h \
	libflame/sample/join.c libflame/sample/join.h \
	libflame/sample/kernel.c libflame/sample/kernel_cache.c \
	libflame/sample/list.c \
	libflame/sample/machine.c libflame/sample/module.c \
	libflame/sample/offcpu.c \
	libflame/sample/perf_events.c libflame/sample/perf_events.h \
	libflame/sample/perf_records.c \
	libflame/sample/perf_records.h libflame/sample/places.c \
	libflame/sample/proc.h libflame/sample/ring.h \
	libflame/sample/process.c \
	libflame/sample/process.h \
	libflame/sample/facts.c \
	libflame/sample/record.c libflame/sample/recorder.h \
	libflame/sample/sample.h libflame/sample/script.c \
	libflame/sample/running.c libflame/sample/running.h \
	libflame/sample/runtimes.c \
	libflame/sample/sockets.c libflame/sample/spill.c \
	libflame/sample/stops.c libflame/sample/stops.h \
	libflame/sample/cpu_time.c \
	libflame/sample/target.c libflame/sample/target.h \
	libflame/sample/target_ask.c \
	libflame/sample/targets.c libflame/sample/targets.h \
	libflame/sample/threads.c libflame/sample/unwind.c \
	libflame/sample/unwind.h libflame/sample/virtual_machines.h \
	libflame/sample/wall.c libflame/native/cache.c
endif

lib_LTLIBRARIES += libflamegraph.la
libflamegraph_la_SOURCES =
libflamegraph_la_LIBADD = libfl.la
libflamegraph_la_LDFLAGS = $(AM_LDFLAGS) $(LIBRARY_LDFLAGS) \
	-no-undefined -version-info $(FLAME_INTERFACE)
libflamegraph_la_DEPENDENCIES = libfl.la libflame/library.map
# LLD refuses names that nothing defines.
if LIBDW
NOT_IN_LIBRARY =
else
NOT_IN_LIBRARY = /fl_inlined_/d
endif
libflame/library.map: libflame/flame.map
	$(AM_V_GEN)$(MKDIR_P) libflame && \
		sed '$(NOT_IN_LIBRARY)' $(srcdir)/libflame/flame.map > $@
CLEANFILES += libflame/library.map
if VERSION_SCRIPT
libflamegraph_la_LDFLAGS += -Wl,--version-script=libflame/library.map
# The sanitizers' names come with the program.
if !SANITIZERS
libflamegraph_la_LDFLAGS += -Wl,-z,defs
endif
endif

flameincludedir = $(includedir)/flamegraph
flameinclude_HEADERS = libflame/flame.h
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = libflame/flamegraph.pc
EXTRA_DIST += libflame/README libflame/flame.map \
	libflame/base/README libflame/draw/README libflame/filter/README \
	libflame/flow/README libflame/format/README \
	libflame/format/jfr/README libflame/format/json/README \
	libflame/container/README \
	libflame/format/perf/README libflame/io/README libflame/remote/README \
	libflame/native/README libflame/sample/README libflame/spark/README \
	libflame/tree/README

# The page's viewer, as a C file in the build tree.
viewer = share/viewer/about.js share/viewer/body.html share/viewer/bundle.awk \
	share/viewer/caption.js share/viewer/data.js share/viewer/diff.js \
	share/viewer/draw.js share/viewer/export.js share/viewer/first.css \
	share/viewer/flame_chart.js share/viewer/legend.js \
	share/viewer/loader.js share/viewer/main.js share/viewer/menu.js \
	share/viewer/nodiff.js share/viewer/notime.js share/viewer/numbers.js \
	share/viewer/page.js share/viewer/pane.js share/viewer/pointer.js \
	share/viewer/profiles.js share/viewer/regexp.js \
	share/viewer/rewrite.js share/viewer/said.js share/viewer/search.js \
	share/viewer/state.js share/viewer/style.css share/viewer/subtree.js \
	share/viewer/svg.css share/viewer/svg.js share/viewer/time.js \
	share/viewer/tree.js share/viewer/truncate.js share/viewer/trunk.js \
	share/viewer/view.js
nodist_libfl_la_SOURCES = libflame/draw/viewer.c \
	libflame/spark/operator_table.c libflame/tree/work_table.c
CLEANFILES += libflame/draw/viewer.c libflame/spark/operator_table.c \
	libflame/tree/work_table.c
EXTRA_DIST += share/spark/embed.sh share/spark/operators.txt \
	share/rules/works.sh share/rules/works \
	 share/viewer/embed.sh $(viewer)

libflame/draw/viewer.c: share/viewer/embed.sh $(viewer)
	$(AM_V_GEN)$(MKDIR_P) $(@D)
	$(AM_V_at)$(SHELL) $(srcdir)/share/viewer/embed.sh \
		$(srcdir)/share/viewer $@

# The operators of Spark by the frames of their stacks.
libflame/spark/operator_table.c: share/spark/embed.sh share/spark/operators.txt
	$(AM_V_GEN)$(MKDIR_P) $(@D)
	$(AM_V_at)$(SHELL) $(srcdir)/share/spark/embed.sh \
		$(srcdir)/share/spark/operators.txt $@

# What stacks work on, by the frames of their stacks.
libflame/tree/work_table.c: share/rules/works.sh share/rules/works
	$(AM_V_GEN)$(MKDIR_P) $(@D)
	$(AM_V_at)$(SHELL) $(srcdir)/share/rules/works.sh \
		$(srcdir)/share/rules/works $@

dist_man_MANS += libflame/libflame.3 libflame/libflame-formats.5
