/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_DLFCN_H
#define FL_WASI_DLFCN_H

#include <lacks.h>
#include <stddef.h>

typedef struct { const char *dli_fname; void *dli_fbase; } Dl_info;
#define RTLD_DEFAULT NULL
#define RTLD_NOW 2
#define RTLD_LAZY 1
#define RTLD_LOCAL 0
void *dlopen(const char *file, int mode);
void *dlsym(void *library, const char *name);
FL_WASI_LACKS(int, dladdr, 0, const void *at, Dl_info *found)
FL_WASI const char *dlerror(void)
{
	return "no library can be opened here";
}

#endif
