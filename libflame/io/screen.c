/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes text safe for a terminal, whichever writer it comes from:
 * fl_screen_put(), for out.c, leaves no control character but the ends of
 * lines, tabs and the colours of our own writers, and no character that hides
 * or reorders others.
 */
#include "fl.h"

#include "io/screen.h"

enum { MAX_COLOUR = 24 };	/* bytes of "ESC [ digits ; digits m" */

/* The size of a colour's sequence; 0: it is none. */
static size_t colour_size(const char *at, size_t size)
{
	size_t n = 2;

	if (size < 3 || at[0] != '\033' || at[1] != '[')
		return 0;
	while (n < size && n < MAX_COLOUR && (fl_is_digit(at[n]) ||
					      at[n] == ';'))
		n++;
	return n < size && at[n] == 'm' ? n + 1 : 0;
}

/* The bytes at the end that may be the beginning of a longer sequence. */
static size_t unfinished(const char *at, size_t size)
{
	for (size_t n = 1; n <= size && n < MAX_COLOUR; n++) {
		unsigned char c = (unsigned char)at[size - n];

		if (c == '\033')
			return colour_size(at + size - n, n) ? 0 : n;
		if (c >= 0xc0)
			return n < 4 && !fl_utf8_length(at + size - n, n) ?
			       n : 0;
	}
	return 0;
}

void fl_screen_put(struct fl_buf *out, struct fl_screen *screen,
		   const char *at, size_t size, bool last)
{
	struct fl_buf joined = { 0 };
	struct fl_shown shown;
	size_t i = 0, n;

	fl_buf_put(&joined, screen->rest, screen->size);
	fl_buf_put(&joined, at, size);
	out->failed |= joined.failed;
	size = joined.failed ? 0 : joined.size;
	screen->size = last || !size ? 0 : unfinished(joined.data, size);
	size -= screen->size;
	while (i < size) {
		at = joined.data + i;
		n = *at == '\n' || *at == '\t' ? 1 : colour_size(at, size - i);
		if (n) {
			fl_buf_put(out, at, n);
			i += n;
			continue;
		}
		i += fl_show(at, size - i, ' ', &shown);
		fl_buf_put(out, shown.text.data, shown.text.size);
	}
	if (screen->size)
		memcpy(screen->rest, joined.data + size, screen->size);
	fl_buf_free(&joined);
}
