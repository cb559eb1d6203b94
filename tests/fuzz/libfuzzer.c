/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target that FUZZ_TARGET names, under libFuzzer; "list": their names.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fuzz_target target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET");

	(void)argc;
	(void)argv;
	if (name && fuzz_target_named(name, &target))
		return 0;
	for (unsigned i = 0; fuzz_target(i, &target); i++)
		puts(target.name);
	exit(name && strcmp(name, "list") == 0 ? 0 : 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_once(&target, data, size);
	return 0;
}
