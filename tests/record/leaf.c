/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared library of one small function; with -DCALLER a program that calls it
 * for the seconds of its argument.
 */
int leaf(int x);

#ifdef CALLER
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	clock_t until = clock() + (clock_t)((argc > 1 ? atof(argv[1]) : 1) *
					    CLOCKS_PER_SEC);
	int x = 0;

	while (clock() < until)
		for (int i = 0; i < 1000000; i++)
			x = leaf(x);
	return x == 1;
}
#else
int leaf(int x)
{
	return x + 1;
}
#endif
