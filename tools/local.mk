# SPDX-License-Identifier: Apache-2.0
# The tools: each a table of options over cli.c, its manual beside it.

bin_PROGRAMS += tools/flame-fold
tools_flame_fold_SOURCES = tools/flame-fold.c tools/cli.c tools/cli.h
tools_flame_fold_LDADD = libfl.la

bin_PROGRAMS += tools/flame-graph
tools_flame_graph_SOURCES = tools/flame-graph.c tools/cli.c tools/cli.h
tools_flame_graph_LDADD = libfl.la

bin_PROGRAMS += tools/jfr2flame
tools_jfr2flame_SOURCES = tools/jfr2flame.c tools/cli.c tools/cli.h
tools_jfr2flame_LDADD = libfl.la
