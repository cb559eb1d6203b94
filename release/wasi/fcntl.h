/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_FCNTL_H
#define FL_WASI_FCNTL_H

#include_next <fcntl.h>
#include <lacks.h>

#define O_PATH O_RDONLY
#define F_DUPFD_CLOEXEC 1030

#endif
