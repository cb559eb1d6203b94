/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the file of a module, and the one that has its symbols. */
#ifndef FL_NATIVE_MODULE_H
#define FL_NATIVE_MODULE_H

#include "native/process.h"

/* Opens files of debug information; -1: there is none. */
struct fl_debug_files {
	int (*by_id)(void *arg, const char *digits);	/* of a build id */
	int (*by_path)(void *arg, const char *path);
	void *arg;
};

/* The file that has the symbols of another one. */
struct fl_module_debug {
	struct fl_elf *elf;		/* NULL: none */
	struct fl_buf unpacked;		/* where it lay in the other */
};

/* Call frame information and symbols of module->elf. */
void fl_module_read(struct fl_module *module,
		    const struct fl_debug_files *files,
		    struct fl_module_debug *debug);
/* Closes the file, unless more will be read of it. */
void fl_module_read_end(struct fl_module *module);
void fl_module_debug_close(struct fl_module_debug *debug);
/* The running kernel's, in memory; NULL: none. */
struct fl_elf *fl_elf_vdso(void);

#endif
