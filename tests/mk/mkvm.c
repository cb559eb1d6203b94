/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the memory of a small virtual machine to standard output.
 *
 *	mkvm hotspot 8|17|21|25|26
 *	mkvm cpython 11|12|13|14|15
 */
#include "fl.h"

#include "vm_image.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static struct vm_image image;

	if (argc != 3)
		return 2;
	if (strcmp(argv[1], "hotspot") == 0)
		vm_image_hotspot(&image, atoi(argv[2]));
	else
		vm_image_cpython(&image, (unsigned)atoi(argv[2]));
	return fwrite(image.data, 1, image.size, stdout) != image.size ||
	       fclose(stdout) != 0;
}
