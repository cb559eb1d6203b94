/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What wasi-libc leaves out of POSIX, for a WebAssembly module: these headers
 * stand before its own (release/libraries), and complete them.  There is one
 * thread, so locks do nothing; there are no other processes, no sockets and no
 * libraries to open, so calls for them fail with ENOSYS.
 */
#ifndef FL_WASI_LACKS_H
#define FL_WASI_LACKS_H

#include <errno.h>

#define FL_WASI static inline __attribute__((unused))
/* A call that has nothing to do. */
#define FL_WASI_DONE(name, ...) \
	FL_WASI int name(__VA_ARGS__) \
	{ \
		return 0; \
	}
/* A call of what there is not. */
#define FL_WASI_LACKS(type, name, failed, ...) \
	FL_WASI type name(__VA_ARGS__) \
	{ \
		errno = ENOSYS; \
		return failed; \
	}

#endif
