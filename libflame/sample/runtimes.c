/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Knows interpreters whose functions have no names that can be read here
 * (Node.js, Ruby, PHP): stacks of such processes are those of the interpreter
 * alone, and not complete.  fl_process_runtime() recognizes them by the files
 * that they map, for record.c; fl_runtime_next() says what would help, for the
 * report of flame-record.
 */
#include "fl.h"

#include "sample/recorder.h"

static const struct runtime {
	const char *prefix;	/* of a file that is mapped, without its version */
	const char *name, *remedy;
} runtimes[] = {
	{ "node", "Node.js", "start it with --perf-basic-prof" },
	{ "nodejs", "Node.js", "start it with --perf-basic-prof" },
	{ "libnode", "Node.js", "start it with --perf-basic-prof" },
	{ "ruby", "Ruby", "rbspy names them" },
	{ "libruby", "Ruby", "rbspy names them" },
	{ "php", "PHP", "phpspy names them" },
	{ "php-fpm", "PHP", "phpspy names them" },
	{ "libphp", "PHP", "phpspy names them" },
};

/* "ruby3.1", "libruby-3.1.so.3.1", "php"; not "node_exporter". */
static bool is_file_of(const struct runtime *runtime, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t size = strlen(runtime->prefix);

	if (strncmp(name, runtime->prefix, size) != 0)
		return false;
	name += size;
	name += *name == '-';
	return !*name || *name == '.' || fl_is_digit(*name);
}

static unsigned find_runtime(const struct fl_process *p)
{
	for (size_t i = 0; i < p->maps.count; i++) {
		const struct fl_module *m = p->maps.data[i].module;

		for (unsigned k = 0; m && k < FL_COUNT(runtimes); k++)
			if (is_file_of(&runtimes[k], m->path))
				return k + 1;
	}
	return 0;
}

unsigned fl_process_runtime(struct fl_processes *all, struct fl_process *p,
			    bool *named)
{
	if (p->runtime_read != p->maps_read || p->runtime_programs != p->programs)
		p->runtime = find_runtime(p);
	p->runtime_read = p->maps_read;
	p->runtime_programs = p->programs;
	if (p->runtime && !p->jit.count)
		fl_process_read_jit(all, p);
	*named = p->jit.count;
	return p->runtime;
}

bool fl_runtime_next(uint64_t seen, unsigned *i, const char **name,
		     const char **remedy)
{
	while (*i < FL_COUNT(runtimes)) {
		const struct runtime *runtime = &runtimes[(*i)++];

		if (!(seen >> *i & 1))
			continue;
		*name = runtime->name;
		*remedy = runtime->remedy;
		return true;
	}
	return false;
}
