/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the name that was meant by a mistyped one, for messages ("did you
 * mean"): flame_nearest() compares by letters added, removed, changed or
 * swapped.
 */
#include "fl.h"

enum { MAX_LETTERS = 80, FAR = 1000 };

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

/* Ends a word of a name: "TaskRunner" of "TaskRunner.run". */
static bool ends_word(char c)
{
	return c == '\0' || strchr(" .$/:(;", c);
}

/*
 * The least number of edits from a word to a name, or to words that the name
 * begins with, which count one more.  Rows of the usual table; of three, as
 * two letters may be swapped.
 */
static unsigned distance(const char *word, size_t n, const char *name)
{
	unsigned rows[3][MAX_LETTERS + 1], best = FAR;
	size_t m = strnlen(name, MAX_LETTERS);

	for (size_t i = 0; i <= n; i++)
		rows[0][i] = i;
	for (size_t j = 1; j <= m; j++) {
		unsigned *row = rows[j % 3];
		const unsigned *before = rows[(j + 2) % 3];
		const unsigned *twice = rows[(j + 1) % 3];

		row[0] = j;
		for (size_t i = 1; i <= n; i++) {
			int a = lower(word[i - 1]), b = lower(name[j - 1]);

			row[i] = before[i - 1] + (a != b);
			row[i] = FL_MIN(row[i], row[i - 1] + 1);
			row[i] = FL_MIN(row[i], before[i] + 1);
			if (i > 1 && j > 1 && a == lower(name[j - 2]) &&
			    b == lower(word[i - 2]))
				row[i] = FL_MIN(row[i], twice[i - 2] + 1);
		}
		if (j == m && !name[j])
			best = FL_MIN(best, row[n]);
		else if (ends_word(name[j]))
			best = FL_MIN(best, row[n] + 1);
	}
	return best;
}

const char *flame_nearest(const char *wanted, const char *const *names,
			  size_t n)
{
	size_t size = strnlen(wanted, MAX_LETTERS);
	unsigned best = (size < 4 ? 1 : 1 + size / 4) + 1;
	const char *nearest = NULL;

	for (size_t i = 0; size > 1 && i < n; i++) {
		unsigned d = distance(wanted, size, names[i]);

		if (d < best) {
			best = d;
			nearest = names[i];
		}
	}
	return nearest;
}
