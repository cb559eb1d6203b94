/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_SYS_AUXV_H
#define FL_WASI_SYS_AUXV_H

#define AT_SYSINFO_EHDR 33
static inline unsigned long getauxval(unsigned long type)
{
	(void)type;
	return 0;
}

#endif
