# SPDX-License-Identifier: Apache-2.0
# Completions, from what the tools say of themselves.

completion_generate = share/completions/generate.sh
EXTRA_DIST += $(completion_generate)

# How assistants use the tools.
assistantsdir = $(pkgdatadir)/assistants
dist_assistants_DATA = share/assistants/AGENTS.md share/assistants/SKILL.md

# What -f json of the tools writes.
schemadir = $(pkgdatadir)/schema
dist_schema_DATA = share/schema/libflame-1.json

# Jobs for engines, which flame-batch --engine prints.
sparkdir = $(pkgdatadir)/spark
dist_spark_DATA = share/spark/flame_archive.py share/spark/flame_spark.py
hadoopdir = $(pkgdatadir)/hadoop
dist_hadoop_SCRIPTS = share/hadoop/flame-map.sh share/hadoop/flame-pages.sh \
	share/hadoop/flame-reduce.sh

if COMPLETIONS
bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = \
	share/completions/bash/flame-batch \
	share/completions/bash/flame-diff \
	share/completions/bash/flame-filter \
	share/completions/bash/flame-fold \
	share/completions/bash/flame-graph \
	share/completions/bash/flame-merge \
	share/completions/bash/flame-top \
	share/completions/bash/jfr2flame
zshcompletiondir = $(datadir)/zsh/site-functions
zshcompletion_DATA = \
	share/completions/zsh/_flame-batch \
	share/completions/zsh/_flame-diff \
	share/completions/zsh/_flame-filter \
	share/completions/zsh/_flame-fold \
	share/completions/zsh/_flame-graph \
	share/completions/zsh/_flame-merge \
	share/completions/zsh/_flame-top \
	share/completions/zsh/_jfr2flame
fishcompletiondir = $(datadir)/fish/vendor_completions.d
fishcompletion_DATA = \
	share/completions/fish/flame-batch.fish \
	share/completions/fish/flame-diff.fish \
	share/completions/fish/flame-filter.fish \
	share/completions/fish/flame-fold.fish \
	share/completions/fish/flame-graph.fish \
	share/completions/fish/flame-merge.fish \
	share/completions/fish/flame-top.fish \
	share/completions/fish/jfr2flame.fish
if SAMPLER
bashcompletion_DATA += share/completions/bash/flame-record
zshcompletion_DATA += share/completions/zsh/_flame-record
fishcompletion_DATA += share/completions/fish/flame-record.fish
endif
completions = $(bashcompletion_DATA) $(zshcompletion_DATA) \
	$(fishcompletion_DATA)
CLEANFILES += $(completions)

if MULTICALL
completion_program = tools/flame $$tool
else
completion_program = tools/$$tool
endif

# share/completions/SHELL/[_]TOOL[.fish]
$(completions): $(completion_generate) $(bin_PROGRAMS)
	$(AM_V_GEN)$(MKDIR_P) $(@D)
	$(AM_V_at)shell=$(@D); shell=$${shell##*/}; \
		tool=$(@F); tool=$${tool#_}; tool=$${tool%.fish}; \
		$(completion_program) --help=all > $@-h && \
		AWK='$(AWK)' $(SHELL) $(srcdir)/$(completion_generate) \
			$$shell $$tool < $@-h > $@-t && \
		rm $@-h && mv $@-t $@
endif

# Recipes: a job by many processes.
examplesdir = $(pkgdatadir)/examples
dist_examples_DATA = share/examples/README share/examples/kubernetes.yaml
examplescidir = $(examplesdir)/ci
dist_examplesci_DATA = share/examples/ci/README share/examples/ci/github.yml \
	share/examples/ci/gitlab-ci.yml
dist_examplesci_SCRIPTS = share/examples/ci/gate.sh
dist_examples_SCRIPTS = share/examples/parallel.sh share/examples/slurm.sh \
	share/examples/record-cluster share/examples/xargs.sh

# A plugin of Spark, and an image, which are made by scripts of their own.
EXTRA_DIST += share/oci/build share/spark/plugin

# A machine that is recorded all the time.
systemdfilesdir = $(pkgdatadir)/systemd
dist_systemdfiles_DATA = share/systemd/README share/systemd/flame-record.service
kubernetesdir = $(pkgdatadir)/kubernetes
dist_kubernetes_DATA = share/kubernetes/README \
	share/kubernetes/flame-record.yaml

# The library in Python; it needs the shared one.
pythondatadir = $(pkgdatadir)/python
dist_pythondata_DATA = share/python/flame.ipynb share/python/pyproject.toml
pythonmoduledir = $(pythondatadir)/flame
dist_pythonmodule_DATA = share/python/flame/__init__.py \
	share/python/flame/__main__.py share/python/flame/assistant.py \
	share/python/flame/frames.py \
	share/python/flame/py.typed
EXTRA_DIST += share/python/README share/python/wheel/build \
	share/python/wheel/libraries share/python/wheel/pack.py

# What the tools draw of profiles in tests/data, in gallery/index.html; and the
# pictures of it that README shows.
EXTRA_DIST += share/screenshots share/examples/gallery

.PHONY: gallery screenshots
gallery: all
	TOP='$(abs_top_srcdir)' BUILD='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/share/examples/gallery/draw gallery
screenshots: all
	TOP='$(abs_top_srcdir)' BUILD='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/share/screenshots/draw
