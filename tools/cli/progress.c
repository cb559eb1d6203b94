/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress: a line on a terminal with the bytes read.  It appears after a
 * second, is updated ten times a second at most, and is erased before any other
 * output.
 */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WIDEST = 200, NARROWEST = 20 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Columns that a line may have without wrapping. */
static int columns(void)
{
	struct winsize size = { 0 };

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col)
		return 79;
	if (size.ws_col > WIDEST)
		return WIDEST;
	return size.ws_col < NARROWEST ? NARROWEST : size.ws_col - 1;
}

/* Bytes of all inputs, if they are files; else 0. */
static uint64_t add_sizes(char *const *inputs, size_t n)
{
	uint64_t all = 0;
	struct stat st;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(inputs[i], "-") == 0 || stat(inputs[i], &st) != 0 ||
		    !S_ISREG(st.st_mode))
			return 0;
		all += (uint64_t)st.st_size;
	}
	return all;
}

static void put_size(char *to, size_t capacity, double size)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	size_t i = 0;

	for (; size >= 1000 && i < 4; i++)
		size /= 1000;
	snprintf(to, capacity, "%.*f %s", i && size < 10 ? 1 : 0, size,
		 units[i]);
}

/* "1.2 GB of 3.4 GB, 410 MB/s, 35 %, 0:05 left" */
static void put_state(char *to, size_t capacity, double done, double all,
		      double seconds)
{
	char read[32], rate[32], size[32];
	unsigned long left;
	int n;

	put_size(read, sizeof(read), done);
	put_size(rate, sizeof(rate), done / seconds);
	if (all < done || done <= 0) {
		snprintf(to, capacity, "%s, %s/s", read, rate);
		return;
	}
	put_size(size, sizeof(size), all);
	left = (unsigned long)((all - done) * seconds / done + 0.5);
	n = snprintf(to, capacity, "%s of %s, %s/s, %d %%, ", read, size, rate,
		     (int)(100 * done / all));
	if (left >= 3600)
		snprintf(to + n, capacity - (size_t)n, "%lu:%02lu:%02lu left",
			 left / 3600, left / 60 % 60, left % 60);
	else
		snprintf(to + n, capacity - (size_t)n, "%lu:%02lu left",
			 left / 60, left % 60);
}

/* The end of a path, in `columns` columns; without control characters. */
static void put_name(char *to, const char *path, int columns)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : path;
	size_t n = strlen(name);

	if (columns < 0)
		columns = 0;
	if (n > (size_t)columns) {
		name += n - (size_t)columns;
		while ((*name & 0xc0) == 0x80)
			name++;
	}
	flame_visible(to, WIDEST + 1, name, strlen(name));
}

/* In place of the line before, as much as the terminal shows. */
static void put_line(struct cli_progress *p, const char *text)
{
	char line[3 * WIDEST];
	int n = snprintf(line, sizeof(line), "%s: %s", p->cli->tool->name,
			 text);

	if (n > columns())
		n = columns();
	fprintf(stderr, "\r%.*s%*s", n, line, p->width > n ? p->width - n : 0,
		"");
	fflush(stderr);
	p->width = p->width > n ? p->width : n;
}

void cli_progress_show(struct cli_progress *p, const char *what, uint64_t done,
		       uint64_t all)
{
	double t = now();
	char line[2 * WIDEST], state[200];

	if (t - p->start < 1)
		return;
	put_state(state, sizeof(state), (double)done, (double)all,
		  t - p->start);
	snprintf(line, sizeof(line), "%s, %s", what, state);
	put_line(p, line);
}

static void draw(struct cli_progress *p, const struct flame_progress *at,
		 double seconds)
{
	char line[2 * WIDEST], name[WIDEST + 1], state[200], which[64] = "";
	int width = columns(), n;
	bool all = p->all >= p->before + at->done;

	if (p->n > 1)
		snprintf(which, sizeof(which), " (%zu of %zu)", p->i + 1,
			 p->n);
	put_state(state, sizeof(state), (double)(p->before + at->done),
		  all ? (double)p->all : p->n == 1 ? (double)at->size : 0,
		  seconds);
	n = (int)(strlen(p->cli->tool->name) + strlen(which) + strlen(state));
	put_name(name, at->input, width - n - 4);
	snprintf(line, sizeof(line), "%s%s, %s", name, which, state);
	put_line(p, line);
}

static void on_progress(void *arg, const struct flame_progress *at)
{
	struct cli_progress *p = arg;
	double t = now();

	p->done = at->done;
	if (t - p->start < 1 || t - p->drawn < 0.1)
		return;
	if (!p->width)
		p->all = add_sizes(p->inputs, p->n);
	p->drawn = t;
	draw(p, at, t - p->start);
}

void cli_progress_begin(struct cli_progress *p, const struct cli *cli,
			struct flame *flame, char **inputs, size_t n)
{
	*p = (struct cli_progress){ .cli = cli, .inputs = inputs, .n = n,
				    .start = now() };
	if (flame && !cli->quiet && !cli->compat && isatty(STDERR_FILENO))
		flame_on_progress(flame, on_progress, p);
}

void cli_progress_next(struct cli_progress *p)
{
	struct stat st;

	/* The last bytes of a file have not been reported. */
	if (p->width && strcmp(p->inputs[p->i], "-") != 0 &&
	    stat(p->inputs[p->i], &st) == 0 && S_ISREG(st.st_mode))
		p->done = (uint64_t)st.st_size;
	p->before += p->done;
	p->done = 0;
	p->i++;
}

void cli_progress_erase(struct cli_progress *p)
{
	if (p->width)
		fprintf(stderr, "\r%*s\r", p->width, "");
	p->width = 0;
}

void cli_progress_end(struct cli_progress *p, struct flame *flame)
{
	cli_progress_erase(p);
	flame_on_progress(flame, NULL, NULL);
}
