# SPDX-License-Identifier: Apache-2.0
# The tools: each a table of options over cli.c and options.c, its manual beside it.

# All but what has a CLI_MAIN, once for the tools and for the program that has all
# of them.
noinst_LIBRARIES = tools/libtools.a
tools_libtools_a_CPPFLAGS = $(AM_CPPFLAGS) -DBIN_FOLDER='"$(bindir)"' \
	-DSHARE_FOLDER='"$(pkgdatadir)"'
tools_libtools_a_SOURCES = $(cli_sources) $(site_sources) $(batch_sources) \
	$(diff_sources) $(fold_sources) $(merge_sources) $(top_sources) \
	$(jfr2flame_sources)
nodist_tools_libtools_a_SOURCES = tools/report/site_parts.c tools/report/rules.c
CLEANFILES += $(nodist_tools_libtools_a_SOURCES)

cli_sources = tools/cli/check_values.c tools/cli/cli.c tools/cli/cli.h \
	tools/cli/cpu_count.c tools/cli/event_list.c \
	tools/cli/explain_choices.c tools/cli/explain_empty.c \
	tools/cli/explain_empty.h tools/cli/input_account.c \
	tools/cli/markdown.c tools/cli/memory_limit.c tools/cli/options.c \
	tools/cli/output_endings.c tools/cli/output_names.c \
	tools/cli/paths_from.c tools/cli/progress.c \
	tools/cli/remote_inputs.c tools/cli/report.c tools/cli/table.c \
	tools/cli/table.h tools/cli/terminal.c

site_sources = tools/compare/sites.h tools/compare/sites_frames.c \
	tools/compare/sites_match.c tools/compare/sites_read.c \
	tools/compare/sites_report.c

# Linked with the installed library, which is shared unless --disable-shared.
if STATIC_TOOLS
tool_libs = libfl.la $(SYSTEM_LIBS) $(CJSON_LIBS)
else
tool_libs = libflamegraph.la $(SYSTEM_LIBS) $(CJSON_LIBS) $(FLAME_RPATH)
endif

if !MULTICALL
bin_PROGRAMS += tools/flame-batch tools/flame-diff tools/flame-filter
bin_PROGRAMS += tools/flame-fold tools/flame-graph tools/flame-merge
bin_PROGRAMS += tools/flame-top tools/jfr2flame
if SAMPLER
bin_PROGRAMS += tools/flame-record
endif
endif

record_sources = tools/record/jvms.c \
	tools/record/roll.c tools/record/record.h tools/record/options.c tools/record/command.c tools/record/result.c

batch_sources = tools/batch/batch.h \
	tools/batch/archive.c tools/report/bill.c tools/report/summary.c \
	tools/report/digest.c tools/report/origins.c tools/report/findings.c \
	tools/report/rules.h tools/report/columns.h tools/report/executors.c \
	tools/report/html.c tools/report/html.h tools/report/clock.c \
	tools/report/columns.c tools/report/report.c tools/report/rows.c \
	tools/report/timeline.c tools/batch/compare.c tools/batch/options.c tools/batch/draw.c tools/batch/group.c \
	tools/report/index.c tools/batch/keys.c tools/batch/jobs.c \
	tools/batch/logs.c tools/batch/metrics.c tools/batch/outliers.c \
	tools/batch/empty.c tools/batch/page.c tools/batch/read.c \
	tools/batch/record.c tools/batch/stages.c tools/batch/engine.c \
	tools/batch/site.c tools/batch/store.c tools/batch/url.c tools/batch/account.c \
	tools/report/against.c tools/report/coverage.c \
	tools/report/profile.c tools/batch/walk.c tools/batch/walk.h
tools_flame_batch_SOURCES = tools/flame-batch.c
site_parts = share/site/site.css share/site/site.js share/viewer/first.css
EXTRA_DIST += tools/README tools/batch/README tools/cli/README \
	tools/report/README share/viewer/README share/site/embed.sh $(site_parts) share/rules/embed.sh \
	share/rules/spark.rules

tools/report/rules.c: share/rules/embed.sh share/rules/spark.rules
	$(AM_V_GEN)$(MKDIR_P) $(@D)
	$(AM_V_at)$(SHELL) $(srcdir)/share/rules/embed.sh \
		$(srcdir)/share/rules/spark.rules $@

# The style and the script of a site's index, as a C file in the build tree.
tools/report/site_parts.c: share/site/embed.sh $(site_parts)
	$(AM_V_GEN)$(MKDIR_P) $(@D)
	$(AM_V_at)$(SHELL) $(srcdir)/share/site/embed.sh \
		$(srcdir)/share/site $(srcdir)/share/viewer $@

tools_flame_batch_LDADD = tools/libtools.a $(tool_libs)
dist_man_MANS += tools/flame-batch.1

diff_sources = tools/compare/diff.h tools/compare/movers.c \
	tools/compare/folders.c tools/compare/report.c tools/compare/runs.c \
	tools/compare/since.c tools/compare/since.h \
	tools/compare/since_input.c tools/compare/since_runs.c \
	tools/compare/sites.c
tools_flame_diff_SOURCES = tools/flame-diff.c
tools_flame_diff_LDADD = tools/libtools.a $(tool_libs)
dist_man_MANS += tools/flame-diff.1

tools_flame_filter_SOURCES = tools/flame-filter.c
tools_flame_filter_LDADD = tools/libtools.a $(tool_libs)
dist_man_MANS += tools/flame-filter.1

fold_sources = tools/fold.h tools/fold_every.c
tools_flame_fold_SOURCES = tools/flame-fold.c
tools_flame_fold_LDADD = tools/libtools.a $(tool_libs)
dist_man_MANS += tools/flame-fold.1

tools_flame_graph_SOURCES = tools/flame-graph.c
tools_flame_graph_LDADD = tools/libtools.a $(tool_libs)
dist_man_MANS += tools/flame-graph.1

merge_sources = tools/merge.h tools/merge_header.c \
	tools/merge_lines.c tools/merge_output.c
tools_flame_merge_SOURCES = tools/flame-merge.c
tools_flame_merge_LDADD = tools/libtools.a $(tool_libs)
dist_man_MANS += tools/flame-merge.1

# Of options that the tools share, and of Spark jobs.
dist_man_MANS += tools/flame-options.7
dist_man_MANS += tools/flame-spark.7

if SAMPLER
tools_flame_record_SOURCES = tools/flame-record.c
tools_flame_record_LDADD = tools/libtools.a libflsample.la $(tool_libs)
dist_man_MANS += tools/flame-record.1
endif

top_sources = tools/top.h tools/top_fold.c \
	tools/top_frames.c tools/top_keys.c tools/top_write.c
tools_flame_top_SOURCES = tools/flame-top.c
tools_flame_top_LDADD = tools/libtools.a $(tool_libs)
dist_man_MANS += tools/flame-top.1

jfr2flame_sources = tools/jfr2flame.h tools/jfr2flame_output.c
tools_jfr2flame_SOURCES = tools/jfr2flame.c
tools_jfr2flame_LDADD = tools/libtools.a $(tool_libs)
dist_man_MANS += tools/jfr2flame.1

# All tools as one program, flame: where configure is asked for it in place of
# the others, and for the tests.
if MULTICALL
bin_PROGRAMS += tools/flame
install-exec-hook:
	cd '$(DESTDIR)$(bindir)' && for tool in $(multicall_tools); do \
		$(LN_S) -f flame $$tool || exit; done
uninstall-hook:
	cd '$(DESTDIR)$(bindir)' && rm -f $(multicall_tools)
else
check_PROGRAMS += tools/flame
endif
multicall_tools = flame-batch flame-diff flame-filter flame-fold flame-graph \
	flame-merge flame-top jfr2flame
dist_man_MANS += tools/flame.1
tools_flame_SOURCES = tools/multicall.c $(tools_flame_batch_SOURCES) \
	$(tools_flame_diff_SOURCES) $(tools_flame_filter_SOURCES) \
	$(tools_flame_fold_SOURCES) $(tools_flame_graph_SOURCES) \
	$(tools_flame_merge_SOURCES) $(tools_flame_top_SOURCES) \
	$(tools_jfr2flame_SOURCES)
tools_flame_CPPFLAGS = $(AM_CPPFLAGS) -DCLI_MULTICALL
tools_flame_LDADD = tools/libtools.a
if SAMPLER
multicall_tools += flame-record
tools_flame_SOURCES += $(tools_flame_record_SOURCES)
tools_libtools_a_SOURCES += $(record_sources)
tools_flame_LDADD += libflsample.la
endif
tools_flame_LDADD += libfl.la $(SYSTEM_LIBS) $(CJSON_LIBS)
