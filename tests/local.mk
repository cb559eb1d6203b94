# SPDX-License-Identifier: Apache-2.0
# Everything that make check runs speaks TAP, so single facts are counted.
#
#	make check			all
#	make check TESTS=tests/unit/test_base
#	make check UPDATE=1		records the golden outputs anew
#	make fuzz FUZZ_SECONDS=60	each target of tests/fuzz, with clang
#	make check-valgrind		under memcheck, which needs hours: see
#					tests/memcheck for less
#	make check-threads		with four threads, for a build with
#					--enable-sanitizers=thread
#	make check-all			all of it under all of these, by night
#	FLAME_CORPUS=DIR make check	with a corpus of recordings

AM_TESTS_ENVIRONMENT = \
	TOP='$(abs_top_srcdir)'; BUILD='$(abs_top_builddir)'; \
	CC='$(CC)'; CXX='$(CXX_FOR_TESTS)'; MANDOC='$(MANDOC)'; \
	NM='$(NM)'; AWK='$(AWK)'; LC_ALL=C; TZ=UTC; \
	CRITERION_OUTPUTS=tap:/dev/stdout; CRITERION_ALWAYS_SUCCEED=1; \
	export TOP BUILD CC CXX MANDOC NM AWK LC_ALL TZ; \
	export CRITERION_OUTPUTS CRITERION_ALWAYS_SUCCEED; \
	LSAN_OPTIONS=suppressions=$$TOP/tests/unit/leaks:print_suppressions=0; \
	export LSAN_OPTIONS;
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh

# It adds a line to tests/seconds.
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/timed
CLEANFILES += tests/seconds

# One program of Criterion's each, from the .c of its name.
unit_tests =
unit_tests += tests/unit/test_base
unit_tests += tests/unit/test_command
unit_tests += tests/unit/test_dict
unit_tests += tests/unit/test_compare
unit_tests += tests/unit/test_draw
unit_tests += tests/unit/test_filter
unit_tests += tests/unit/test_filter_labels
unit_tests += tests/unit/test_metric_trees
unit_tests += tests/unit/test_misuse
unit_tests += tests/unit/test_split
unit_tests += tests/unit/test_bill
unit_tests += tests/unit/test_replay
unit_tests += tests/unit/test_path_labels
unit_tests += tests/unit/test_filter_names
unit_tests += tests/unit/test_flow
unit_tests += tests/unit/test_folded
unit_tests += tests/unit/test_ahead
unit_tests += tests/unit/test_archive
unit_tests += tests/unit/test_io
unit_tests += tests/unit/test_jfr_v0
unit_tests += tests/unit/test_jfr_wire
unit_tests += tests/unit/test_json
unit_tests += tests/unit/test_json_profiles
unit_tests += tests/unit/test_jstack
unit_tests += tests/unit/test_python_dumps
unit_tests += tests/unit/test_native_dumps
unit_tests += tests/unit/test_rows
unit_tests += tests/unit/test_s3
unit_tests += tests/unit/test_samples
unit_tests += tests/unit/test_statistics
unit_tests += tests/unit/test_steps
unit_tests += tests/unit/test_text
unit_tests += tests/unit/test_text_profiles
unit_tests += tests/unit/test_unreadable
unit_tests += tests/unit/test_top
unit_tests += tests/unit/test_words
unit_tests += tests/unit/test_options
unit_tests += tests/unit/test_otlp
unit_tests += tests/unit/test_parts
unit_tests += tests/unit/test_perf
unit_tests += tests/unit/test_perf_columns
unit_tests += tests/unit/test_bpftrace_grammar
unit_tests += tests/unit/test_perf_grammar
unit_tests += tests/unit/test_pictures
unit_tests += tests/unit/test_pprof
unit_tests += tests/unit/test_protobuf
unit_tests += tests/unit/test_tree
unit_tests += tests/unit/test_trials

vm_image = tests/mk/vm_image.c tests/mk/vm_image.h
if SAMPLER
unit_tests += tests/unit/test_sample
tests_unit_test_sample_LDADD = libflsample.la $(LDADD)
unit_tests += tests/unit/test_arm64
tests_unit_test_arm64_LDADD = libflsample.la $(LDADD)
unit_tests += tests/unit/test_vm_frames
tests_unit_test_vm_frames_SOURCES = tests/unit/test_vm_frames.c $(vm_image)
tests_unit_test_vm_frames_LDADD = libflsample.la $(LDADD)
endif

if CRITERION
check_PROGRAMS += $(unit_tests)
endif
# Criterion's macros are most of their code, whose optimisation lasts four times as
# long as all else.
tests/unit/test_%.$(OBJEXT): CFLAGS += -O0 -U_FORTIFY_SOURCE

# What programs are linked with that do not say otherwise: the unit tests.
LDADD = libfl.la $(CRITERION_LIBS)
tests_unit_test_base_LDADD = libfl-base.la $(CRITERION_LIBS)
tests_unit_test_io_LDADD = $(LDADD) \
	$(ZSTD_LIBS) $(LZ4_LIBS) $(LZMA_LIBS) $(BZ2_LIBS)
tests_unit_test_ahead_LDADD = $(tests_unit_test_io_LDADD)

# Binary inputs of tests, from text.
check_PROGRAMS += tests/mk/mkjfr
tests_mk_mkjfr_CFLAGS = $(AM_CFLAGS) -Wno-write-strings
tests_mk_mkjfr_LDADD =
fuzz_seed_makers = tests/mk/mkjfr
if SAMPLER
fuzz_seed_makers += tests/mk/mkvm
check_PROGRAMS += tests/mk/mkvm
if LIBDW
check_PROGRAMS += tests/record/unwind
tests_record_unwind_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS)
tests_record_unwind_LDADD = libflsample.la libfl.la $(DW_LIBS)
endif
tests_mk_mkvm_SOURCES = tests/mk/mkvm.c $(vm_image)
tests_mk_mkvm_LDADD = libflsample.la libfl.la
endif

# What tests/laws/readers runs.
check_PROGRAMS += tests/laws/try-readers
tests_laws_try_readers_LDADD = libfl.la
# What tests/laws/selections runs.
check_PROGRAMS += tests/laws/list-selecting
tests_laws_list_selecting_SOURCES = tests/laws/list-selecting.c
tests_laws_list_selecting_LDADD = libfl.la
# What tests/laws/dictionaries runs.
check_PROGRAMS += tests/laws/try-threads
tests_laws_try_threads_LDADD = libfl.la -lpthread
# What tests/laws/growth runs.
check_PROGRAMS += tests/laws/growth-read
tests_laws_growth_read_LDADD = libfl.la
# What tests/laws/cuts runs.
check_PROGRAMS += tests/laws/cut-texts
tests_laws_cut_texts_LDADD = libfl.la
# What tests/laws/probes runs.
check_PROGRAMS += tests/laws/probes-of
tests_laws_probes_of_SOURCES = tests/laws/probes.c
tests_laws_probes_of_LDADD = libfl.la
# Targets of fuzzing: replayed by make check, run by make fuzz.
fuzz_sources = tests/fuzz/fuzz.h tests/fuzz/check.c tests/fuzz/targets.c \
	tests/fuzz/fuzz_decoder.c tests/fuzz/fuzz_filter.c \
	tests/fuzz/fuzz_folded.c tests/fuzz/fuzz_json.c \
	tests/fuzz/fuzz_merge.c \
	tests/fuzz/fuzz_page.c tests/fuzz/fuzz_protobuf.c \
	tests/fuzz/fuzz_reader.c tests/fuzz/fuzz_spark.c \
	tests/fuzz/fuzz_tree.c
fuzz_libs = libfl.la
if SAMPLER
fuzz_sources += tests/fuzz/fuzz_sample.c tests/fuzz/fuzz_vm.c $(vm_image)
fuzz_libs += libflsample.la libfl.la
endif
check_PROGRAMS += tests/fuzz/replay
tests_fuzz_replay_SOURCES = tests/fuzz/replay.c $(fuzz_sources)
tests_fuzz_replay_LDADD = $(fuzz_libs)
EXTRA_PROGRAMS = tests/fuzz/fuzz
CLEANFILES += tests/fuzz/fuzz
tests_fuzz_fuzz_SOURCES = tests/fuzz/libfuzzer.c $(fuzz_sources)
tests_fuzz_fuzz_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
EXTRA_DIST += tests/fuzz/found tests/fuzz/run tests/fuzz/seeds \
	tests/fuzz/replay.sh

.PHONY: fuzz
fuzz: all $(fuzz_seed_makers)
	@TOP='$(abs_top_srcdir)' BUILD='$(abs_top_builddir)' \
		bash $(srcdir)/tests/fuzz/run

.PHONY: check-valgrind check-threads check-all
check-valgrind: all $(check_PROGRAMS)
	@TOP='$(abs_top_srcdir)' BUILD='$(abs_top_builddir)' \
		bash $(srcdir)/tests/memcheck
check-threads: all $(check_PROGRAMS)
	@TOP='$(abs_top_srcdir)' BUILD='$(abs_top_builddir)' \
		bash $(srcdir)/tests/threads
check-all: all
	@TOP='$(abs_top_srcdir)' BUILD='$(abs_top_builddir)' \
		bash $(srcdir)/tests/all
EXTRA_DIST += tests/all tests/under.sh tests/memcheck tests/threads
EXTRA_DIST += tests/unit/lost

# make would build a test from the source beside it, whose name is the test's
# with an ending.
%: %.c
%: %.o
%: %.sh

# In the order in which they begin: the slowest first (see tests/seconds).
script_tests = \
	tests/record/java \
	tests/coherence/corpus \
	tests/python/notebook \
	tests/consumers/run \
	tests/consumers/answers \
	tests/assistant/questions \
	tests/assistant/run \
	tests/laws/damage \
	tests/record/python \
	tests/laws/packed \
	tests/laws/join \
	tests/laws/written \
	tests/viewer/views \
	tests/laws/long-lines \
	tests/laws/merge \
	tests/laws/memory \
	tests/laws/s3 \
	tests/laws/secrets \
	tests/laws/sent \
	tests/laws/run \
	tests/laws/runs \
	tests/laws/since \
	tests/live/pyspy \
	tests/viewer/times \
	tests/record/run \
	tests/golden/run \
	tests/viewer/looks \
	tests/perf-script/run \
	tests/perf-data/run \
	tests/coherence/pictures \
	tests/laws/selections \
	tests/laws/spans \
	tests/record/life \
	tests/record/consumers tests/record/hostile \
	tests/jfr-text/run \
	tests/laws/promises \
	tests/viewer/diffs \
	tests/record/events \
	tests/laws/out-of-memory \
	tests/coherence/viewer \
	tests/record/stops tests/record/wait tests/record/greenlets \
	tests/record/names tests/record/roll \
	tests/record/counted \
	tests/record/lines \
	tests/fuzz/replay.sh \
	tests/laws/archive tests/laws/archive-store \
	tests/laws/batch \
	tests/laws/causes \
	tests/laws/clocks \
	tests/laws/report \
	tests/laws/ratios \
	tests/laws/readers \
	tests/laws/recordings \
	tests/laws/dictionaries \
	tests/laws/recipes \
	tests/laws/urls \
	tests/laws/yarn \
	tests/laws/record-cluster \
	tests/laws/spark-labels \
	tests/laws/spark-logs \
	tests/laws/zip \
	tests/laws/clients \
	tests/engines/archive \
	tests/engines/live \
	tests/engines/run \
	tests/live/hdfs \
	tests/live/dumps \
	tests/live/holders \
	tests/live/influxdb \
	tests/live/plugin \
	tests/live/causes \
	tests/live/naps \
	tests/live/report \
	tests/live/tower \
	tests/live/spark \
	tests/laws/ci \
	tests/laws/empty \
	tests/laws/escapes \
	tests/laws/every \
	tests/laws/fetch \
	tests/laws/growth \
	tests/laws/hostile \
	tests/laws/options \
	tests/laws/probes \
	tests/laws/prefixes \
	tests/laws/cuts \
	tests/laws/trunks \
	tests/laws/widths \
	tests/progress/run \
	tests/perf-script/columns \
	tests/perf-script/inline \
	tests/native/bare tests/native/go \
	tests/record/spark \
	tests/record/unwinding \
	tests/coherence/bootstrap \
	tests/coherence/sources \
	tests/coherence/debian \
	tests/coherence/late \
	tests/coherence/linked \
	tests/coherence/layers \
	tests/coherence/rooms \
	tests/coherence/symbols \
	tests/coherence/abi \
	tests/coherence/programs \
	tests/coherence/security \
	tests/coherence/recipe \
	tests/coherence/header \
	tests/coherence/multicall \
	tests/coherence/options \
	tests/coherence/ignored \
	tests/coherence/words \
	tests/coherence/examples \
	tests/coherence/gallery \
	tests/coherence/contrast \
	tests/release/pack \
	tests/release/static \
	tests/viewer/report \
	tests/viewer/site \
	tests/python/run \
	tests/viewer/access \
	tests/viewer/drop \
	tests/viewer/drop_firefox \
	tests/viewer/firefox \
	tests/viewer/layout \
	tests/viewer/figures \
	tests/viewer/said
TESTS += $(script_tests)
if CRITERION
TESTS += $(unit_tests)
else
TESTS += tests/unit/missing
endif

EXTRA_DIST += tests/README tests/timed tests/tap.sh tests/fetch.sh tests/tools.sh tests/unit/missing tests/unit/leaks
EXTRA_DIST += tests/unit/filter.h tests/unit/printer.h tests/unit/said.h tests/unit/folds.h
EXTRA_DIST += tests/assistant tests/release tests/coherence tests/consumers tests/corpus tests/data \
	tests/engines tests/golden \
	tests/jfr-text tests/laws tests/live tests/mk tests/packages \
	tests/native tests/perf-data tests/perf-script \
	tests/progress tests/python tests/record tests/viewer

# Ours and the peers, measured; see tests/bench/README.
bench_programs = tests/bench/measure tests/bench/mkstacks
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)
tests_bench_measure_LDADD =
tests_bench_mkstacks_LDADD =
EXTRA_DIST += tests/bench

bench_environment = TOP='$(abs_top_srcdir)' BUILD='$(abs_top_builddir)'

.PHONY: bench bench-check bench-data bench-record bench-viewer \
	bench-instructions
bench-data: all $(bench_programs)
	$(bench_environment) $(SHELL) $(srcdir)/tests/bench/data
bench: bench-data
	@$(bench_environment) BENCH_FROM="$$PWD" \
		$(SHELL) $(srcdir)/tests/bench/run
bench-check: all $(bench_programs)
	@$(bench_environment) UPDATE='$(UPDATE)' BENCH_FROM="$$PWD" \
		bash $(srcdir)/tests/bench/check
bench-record: all $(bench_programs)
	@$(bench_environment) bash $(srcdir)/tests/bench/record
bench-instructions: all
	@$(bench_environment) CC='$(CC)' UPDATE='$(UPDATE)' \
		bash $(srcdir)/tests/bench/instructions
bench-viewer: all $(bench_programs)
	@$(bench_environment) node $(srcdir)/tests/viewer/bench.js

# Folders are distributed with what a build leaves in those of the same name.
dist-hook:
	cd $(distdir)/tests && rm -f mk/mkjfr mk/mkvm record/unwind laws/try-readers \
		laws/probes-of laws/list-selecting laws/try-threads \
		laws/growth-read \
		bench/measure bench/mkstacks fuzz/replay fuzz/fuzz
	find $(distdir)/tests -path '*/tests/data' -prune -o \
		\( -name '*.log' -o -name '*.trs' \
		-o -name '*.o' -o -name .deps -o -name .libs \
		-o -name .dirstamp \) -exec rm -rf {} +
