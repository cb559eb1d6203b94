/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a shared library when it is first needed: fl_late_open() loads it with
 * dlopen and sets the pointers to its functions, or returns the error.
 * Libraries stay open, as other threads may run in them.
 */
#include "fl.h"

#include "base/late.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

/* Sets the first function last: if it is set, all are. */
static const char *fill(const struct fl_late *late, void *library)
{
	char *to = late->functions;
	size_t n = 0;
	void *f;

	while (late->names[n])
		n++;
	while (n--) {
		f = dlsym(library, late->names[n]);
		if (!f)
			return dlerror();
		memcpy(to + n * sizeof(f), &f, sizeof(f));
	}
	return NULL;
}

const char *fl_late_open(const struct fl_late *late)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const char *why = NULL;
	void *library, *first;

	if (!late->file)
		return NULL;
	pthread_mutex_lock(&lock);
	memcpy(&first, late->functions, sizeof(first));
	if (!first) {
		errno = 0;
		library = dlopen(late->file, RTLD_NOW | RTLD_LOCAL);
		/* dlerror() does not report a lack of memory. */
		if (!library && errno == ENOMEM)
			fl_memory_failed();
		why = library ? fill(late, library) : dlerror();
	}
	pthread_mutex_unlock(&lock);
	return why;
}
