/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles the lines of perf script that are not samples, for perf.c: comments
 * with facts of the recording, perf's own messages, records of lost samples,
 * empty lines, and lines that are not understood, which are counted; the first
 * one is shown.
 */
#include "fl.h"

#include "format/perf/reader.h"

bool fl_perf_is_message(struct slice line)
{
	static const char initials[] = "WEHPC[FfNKSIBaiceps";
	static const char *const begins[] = {
		"Warning:", "WARNING:", "Error:", "ERROR:", "Hint:",
		"Processed ", "Check IO/CPU overload!", "Check /proc/",
		"check /proc/", "[ perf ", "[perf ", "Failed to ",
		"failed to ", "Couldn't ", "Could not ", "Can't ", "Cannot ",
		"No kallsyms ", "Kernel address maps ", "Samples in kernel ",
		"Samples for '", "Symbol resolution may be skewed",
		"If some relocation ", "even with a suitable vmlinux",
		"file is not found in the ", "BFD: ", "addr2line",
		"cmd__addr2line", "incompatible file format",
		"problem processing ", "corrupted callchain", "symbol__", NULL
	};
	struct fl_perf_header h;

	if (!line.size || !memchr(initials, line.data[0], sizeof(initials) - 1))
		return false;
	for (size_t i = 0; begins[i]; i++)
		if (begins[i][0] == line.data[0] &&
		    fl_slice_starts(line, begins[i]))
			return !fl_perf_header(line, NULL, &h) ||
			       h.time == FLAME_NOTIME;
	return false;
}

void fl_perf_not_understood(struct fl_perf_reader *r, struct slice line)
{
	line = fl_slice_trim(line);
	while (line.size && line.data[line.size - 1] == '\n')
		line.size--;
	line = fl_slice_trim(line);
	if (r->bad++)
		return;
	r->first_bad = r->line + 1;
	line.size = FL_MIN(line.size, sizeof(r->bad_text) - 1);
	memcpy(r->bad_text, line.data, line.size);
	r->bad_text[line.size] = '\0';
}

void fl_perf_keep_fact(struct fl_perf_reader *r, struct slice line)
{
	static const char *const keys[] = {
		"captured on", "hostname", "os release", "perf version",
		"arch", "nrcpus online", "cpudesc", "cmdline", NULL
	};

	line = fl_slice_trim(fl_slice_from(line, 1));
	while (line.size && (line.data[line.size - 1] == '\n' ||
			     line.data[line.size - 1] == '\r'))
		line.size--;
	for (size_t i = 0; keys[i]; i++) {
		const char *colon = memchr(line.data, ':', line.size);
		size_t n;

		if (!colon || !fl_slice_starts(line, keys[i]))
			continue;
		n = line.size - (colon + 1 - line.data);
		line = fl_slice_trim((struct slice){ colon + 1, n });
		if (r->source->nfacts < FL_PERF_FACTS)
			fl_fact(r->source, keys[i], "%.*s",
				(int)FL_MIN(line.size, (size_t)1024),
				line.data);
		return;
	}
}

void fl_perf_count_lost(struct fl_perf_reader *r, struct slice line)
{
	for (; line.size > 5; line.data++, line.size--) {
		struct slice number = { line.data + 5, 0 };
		int64_t n;

		if (memcmp(line.data, "lost ", 5) != 0)
			continue;
		while (number.size < line.size - 5 &&
		       number.data[number.size] >= '0' &&
		       number.data[number.size] <= '9')
			number.size++;
		if (fl_parse_int(number, &n))
			r->lost += n;
		return;
	}
}

bool fl_perf_is_empty(struct slice line)
{
	for (size_t i = 0; i < line.size; i++)
		if (line.data[i] != ' ' && line.data[i] != '\t' &&
		    line.data[i] != '\r' && line.data[i] != '\n')
			return false;
	return true;
}
