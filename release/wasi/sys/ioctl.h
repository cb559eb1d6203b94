/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_SYS_IOCTL_H
#define FL_WASI_SYS_IOCTL_H

#include_next <sys/ioctl.h>
#include <lacks.h>

#define TIOCGWINSZ 0x5413
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };

#endif
