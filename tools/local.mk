# SPDX-License-Identifier: Apache-2.0
# The tools: each a table of options over cli.c and options.c, its manual beside it.

cli_sources = tools/check_values.c tools/cli.c tools/cli.h tools/cpu_count.c tools/event_list.c \
	tools/explain_choices.c tools/explain_empty.c tools/explain_empty.h \
	tools/input_account.c tools/markdown.c tools/memory_limit.c \
	tools/options.c tools/output_endings.c tools/output_names.c \
	tools/paths_from.c tools/progress.c tools/remote_inputs.c \
	tools/report.c tools/table.c tools/table.h tools/terminal.c

site_sources = tools/sites.h tools/sites_frames.c tools/sites_match.c \
	tools/sites_read.c tools/sites_report.c

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

record_sources = tools/flame-record.c tools/record_jvms.c tools/record_roll.c \
	tools/record.h

batch_sources = tools/flame-batch.c tools/batch.h tools/batch_archive.c \
	tools/batch_bill.c tools/batch_summary.c \
	tools/batch_digest.c tools/batch_origins.c tools/batch_findings.c tools/batch_rules.h \
	tools/batch_columns.h tools/batch_executors.c tools/batch_html.c tools/batch_html.h \
	tools/batch_clock.c tools/batch_columns.c tools/batch_report.c \
	tools/batch_rows.c tools/batch_timeline.c \
	tools/batch_compare.c tools/batch_group.c tools/batch_index.c \
	tools/batch_keys.c \
	tools/batch_jobs.c tools/batch_logs.c tools/batch_metrics.c tools/batch_outliers.c \
	tools/batch_empty.c tools/batch_page.c tools/batch_read.c \
	tools/batch_record.c tools/batch_stages.c \
	tools/batch_engine.c tools/batch_site.c tools/batch_url.c \
	tools/batch_account.c tools/batch_against.c tools/batch_coverage.c \
	tools/batch_profile.c tools/batch_walk.c tools/batch_walk.h
tools_flame_batch_SOURCES = $(batch_sources) $(site_sources) $(cli_sources)
tools_flame_batch_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tools -DBIN_FOLDER='"$(bindir)"' \
	-DSHARE_FOLDER='"$(pkgdatadir)"'
nodist_tools_flame_batch_SOURCES = tools/batch_site_parts.c tools/batch_rules.c
CLEANFILES += tools/batch_site_parts.c tools/batch_rules.c
site_parts = share/site/site.css share/site/site.js share/viewer/first.css
EXTRA_DIST += tools/README share/viewer/README share/site/embed.sh $(site_parts) share/rules/embed.sh \
	share/rules/spark.rules

tools/batch_rules.c: share/rules/embed.sh share/rules/spark.rules
	$(AM_V_GEN)$(MKDIR_P) $(@D)
	$(AM_V_at)$(SHELL) $(srcdir)/share/rules/embed.sh \
		$(srcdir)/share/rules/spark.rules $@

# The style and the script of a site's index, as a C file in the build tree.
tools/batch_site_parts.c: share/site/embed.sh $(site_parts)
	$(AM_V_GEN)$(MKDIR_P) $(@D)
	$(AM_V_at)$(SHELL) $(srcdir)/share/site/embed.sh \
		$(srcdir)/share/site $(srcdir)/share/viewer $@

tools_flame_batch_LDADD = $(tool_libs)
dist_man_MANS += tools/flame-batch.1

diff_sources = tools/flame-diff.c tools/diff.h \
	tools/diff_folders.c tools/diff_report.c tools/diff_runs.c \
	tools/diff_since.c tools/diff_sites.c
tools_flame_diff_SOURCES = $(diff_sources) $(site_sources) $(cli_sources)
tools_flame_diff_LDADD = $(tool_libs)
dist_man_MANS += tools/flame-diff.1

tools_flame_filter_SOURCES = tools/flame-filter.c $(cli_sources)
tools_flame_filter_LDADD = $(tool_libs)
dist_man_MANS += tools/flame-filter.1

tools_flame_fold_SOURCES = tools/flame-fold.c $(cli_sources)
tools_flame_fold_LDADD = $(tool_libs)
dist_man_MANS += tools/flame-fold.1

tools_flame_graph_SOURCES = tools/flame-graph.c $(cli_sources)
tools_flame_graph_LDADD = $(tool_libs)
dist_man_MANS += tools/flame-graph.1

merge_sources = tools/flame-merge.c tools/merge.h tools/merge_header.c \
	tools/merge_lines.c tools/merge_output.c
tools_flame_merge_SOURCES = $(merge_sources) $(cli_sources)
tools_flame_merge_LDADD = $(tool_libs)
dist_man_MANS += tools/flame-merge.1

# Of options that the tools share, and of Spark jobs.
dist_man_MANS += tools/flame-options.7
dist_man_MANS += tools/flame-spark.7

if SAMPLER
tools_flame_record_SOURCES = $(record_sources) $(cli_sources)
tools_flame_record_LDADD = libflsample.la $(tool_libs)
dist_man_MANS += tools/flame-record.1
endif

top_sources = tools/flame-top.c tools/top.h tools/top_fold.c \
	tools/top_frames.c tools/top_keys.c tools/top_write.c
tools_flame_top_SOURCES = $(top_sources) $(cli_sources)
tools_flame_top_LDADD = $(tool_libs)
dist_man_MANS += tools/flame-top.1

jfr2flame_sources = tools/jfr2flame.c tools/jfr2flame.h \
	tools/jfr2flame_output.c
tools_jfr2flame_SOURCES = $(jfr2flame_sources) $(cli_sources)
tools_jfr2flame_LDADD = $(tool_libs)
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
tools_flame_SOURCES = tools/multicall.c $(batch_sources) $(diff_sources) \
	tools/flame-filter.c tools/flame-fold.c tools/flame-graph.c \
	$(merge_sources) $(top_sources) $(jfr2flame_sources) \
	$(site_sources) $(cli_sources)
nodist_tools_flame_SOURCES = $(nodist_tools_flame_batch_SOURCES)
tools_flame_CPPFLAGS = $(tools_flame_batch_CPPFLAGS) -DCLI_MULTICALL
tools_flame_LDADD =
if SAMPLER
multicall_tools += flame-record
tools_flame_SOURCES += $(record_sources)
tools_flame_LDADD += libflsample.la
endif
tools_flame_LDADD += libfl.la $(SYSTEM_LIBS) $(CJSON_LIBS)
