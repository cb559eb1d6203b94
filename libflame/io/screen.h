/* SPDX-License-Identifier: Apache-2.0 */
/* screen.c: text before it reaches a terminal. */
#ifndef FL_SCREEN_H
#define FL_SCREEN_H

/* Zeroed at first: what may go on in the next piece. */
struct fl_screen {
	char rest[24];
	size_t size;
};

/* Appends what a terminal may have of the next piece of a text. */
void fl_screen_put(struct fl_buf *out, struct fl_screen *screen,
		   const char *at, size_t size, bool last);

#endif
