/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes, for perf.c and record.c, the columns of perf script around a
 * stack that are not frames, so that no frame is made of them.  perf prints
 * them in this order (process_event in its builtin-script.c):
 *
 *	event: flags trace addr data_src weight ins_lat retire_lat cgroup
 *	frames, a line each, or one at the end of the line above
 *	iregs uregs brstack* ilen insn phys_addr data_page_size
 *	code_page_size cgroup ipc
 *
 * Columns after the frames end the sample; no empty line follows them.
 */
#include "fl.h"

#include "format/perf/reader.h"

enum { ADDRESS_WIDTH = 16 };	/* "%16lx" */

static void advance(struct slice *s, size_t n)
{
	s->data += n;
	s->size -= n;
}

static size_t count_blanks(struct slice s)
{
	size_t n = 0;

	while (n < s.size && fl_is_blank(s.data[n]))
		n++;
	return n;
}

static size_t count_word(struct slice s)
{
	size_t n = 0;

	while (n < s.size && !fl_is_blank(s.data[n]))
		n++;
	return n;
}

/*
 * The first word of s, which is unchanged; *size counts the blanks before it,
 * too.
 */
static struct slice peek_word(struct slice s, size_t *size)
{
	size_t blanks = count_blanks(s);

	advance(&s, blanks);
	s.size = count_word(s);
	*size = blanks + s.size;
	return s;
}

static bool all_hex(struct slice s)
{
	for (size_t i = 0; i < s.size; i++)
		if (!fl_is_lower_hex(s.data[i]))
			return false;
	return s.size > 0;
}

/* An address padded to sixteen columns, as perf prints numbers. */
static bool is_aligned_hex(struct slice s, size_t *size)
{
	struct slice word = peek_word(s, size);

	return *size >= ADDRESS_WIDTH && word.size <= ADDRESS_WIDTH &&
	       all_hex(word);
}

/* "ABI:2    AX:0x17d0a    BX:0x0 ", of iregs and of uregs. */
static void skip_registers(struct slice *s)
{
	struct slice word;
	size_t size;

	word = peek_word(*s, &size);
	if (!fl_slice_starts(word, "ABI:"))
		return;
	for (; word.size; word = peek_word(*s, &size)) {
		const char *colon = memchr(word.data, ':', word.size);

		if (!fl_slice_starts(word, "ABI:") &&
		    (!colon || word.data + word.size - colon < 4 ||
		     memcmp(colon, ":0x", 3) != 0))
			break;
		advance(s, size);
	}
}

/* "/P/-/-/3": mispredicted, in a transaction, aborted, cycles. */
static bool is_branch_flags(struct slice s)
{
	size_t n = 1;

	while (n < s.size && n < 4 && memchr("MPN-", s.data[n], 4))
		n++;
	return s.size > n + 5 && s.data[0] == '/' && n > 1 &&
	       s.data[n] == '/' && memchr("X-", s.data[n + 1], 2) &&
	       s.data[n + 2] == '/' && memchr("A-", s.data[n + 3], 2) &&
	       s.data[n + 4] == '/' && s.data[n + 5] >= '0' &&
	       s.data[n + 5] <= '9';
}

/* "from/to/P/-/-/3/RET/-", many; symbols in them may hold blanks. */
static void skip_branches(struct slice *s)
{
	struct slice rest = *s;
	size_t size;

	if (is_aligned_hex(rest, &size))
		return;
	while (rest.size) {
		const char *slash = memchr(rest.data, '/', rest.size);

		if (!slash)
			break;
		advance(&rest, slash - rest.data);
		if (is_branch_flags(rest)) {
			/* It is a header that ends in branches. */
			if (memmem(s->data, rest.data - s->data, ": ", 2))
				return;
			advance(&rest, count_word(rest));
			*s = rest;
		} else {
			advance(&rest, 1);
		}
	}
}

/* "ilen: 3", "insn: 48 01 c2"; a disassembly follows two tabs. */
static void skip_instruction(struct slice *s)
{
	struct slice word, rest = *s;
	size_t size;

	word = peek_word(rest, &size);
	if (fl_slice_is(word, "ilen:")) {
		advance(&rest, size);
		word = peek_word(rest, &size);
		if (!fl_slice_digits(word))
			return;
		advance(&rest, size);
		*s = rest;
		word = peek_word(rest, &size);
	}
	if (fl_slice_is(word, "insn:")) {
		do {
			advance(s, size);
			word = peek_word(*s, &size);
		} while (word.size == 2 && all_hex(word));
	}
	if (fl_slice_starts(*s, "\t\t"))
		advance(s, s->size);
}

static bool is_page_size(struct slice word)
{
	size_t n = 0;

	if (fl_slice_is(word, "N/A"))
		return true;
	while (n < word.size && word.data[n] >= '0' && word.data[n] <= '9')
		n++;
	return n && n + 1 == word.size && memchr("BKMGT", word.data[n], 5);
}

/* The offset of " \t IPC:"; s.size: none. */
static size_t find_ipc(struct slice s)
{
	const char *at = memmem(s.data, s.size, "\t IPC:", 6);

	if (!at)
		at = memmem(s.data, s.size, "  IPC:", 6);
	return at ? (size_t)(at - s.data) : s.size;
}

/*
 * A path, whose names may hold blanks, or "unknown", at the end.  What ends in
 * a bracket is a frame with its module.
 */
static bool skip_cgroup(struct slice *s, struct slice *cgroup)
{
	struct slice word, all = *s;
	size_t size;

	word = peek_word(*s, &size);
	if (size == word.size ||
	    !(fl_slice_starts(word, "/") || fl_slice_is(word, "unknown")))
		return false;
	all.size = find_ipc(all);
	all = fl_slice_trim(all);
	if (fl_slice_starts(word, "/") && !fl_slice_ends(all, ")")) {
		word = all;
		size = (size_t)(all.data + all.size - s->data);
	}
	*cgroup = word;
	advance(s, size);
	return true;
}

/* " \t IPC: 0.52 (12/23) " */
static void skip_ipc(struct slice *s)
{
	struct slice word;
	size_t size;

	word = peek_word(*s, &size);
	if (fl_slice_is(word, "IPC:"))
		advance(s, s->size);
}

bool fl_perf_end_columns(struct slice text, struct slice *cgroup)
{
	struct slice rest = text;
	size_t size;

	*cgroup = (struct slice){ "", 0 };
	while (rest.size && memchr(" \t\r\n", rest.data[rest.size - 1], 4))
		rest.size--;
	if (!rest.size)
		return false;
	skip_registers(&rest);
	skip_branches(&rest);
	skip_instruction(&rest);
	if (is_aligned_hex(rest, &size))
		advance(&rest, size);
	for (int i = 0; i < 2 && is_page_size(peek_word(rest, &size)); i++)
		advance(&rest, size);
	if (rest.size)
		skip_cgroup(&rest, cgroup);
	skip_ipc(&rest);
	return !rest.size;
}

bool fl_perf_is_source_and_columns(struct slice line)
{
	struct slice word, cgroup;
	size_t size;

	word = peek_word(line, &size);
	if (size != word.size + 2 || !word.size || line.data[0] != ' ' ||
	    word.data[word.size - 1] == ':' ||
	    !(fl_slice_ends(word, "]") || memchr(word.data, ':', word.size)))
		return false;
	advance(&line, size);
	return fl_perf_end_columns(line, &cgroup);
}

bool fl_perf_is_source_code(struct slice line)
{
	return line.size > 1 && line.data[0] == '|' && line.data[1] >= '0' &&
	       line.data[1] <= '9';
}

/*
 * Lines after a sample that an empty line has ended: brstackinsn's "\tmain+3:"
 * and "\t000055d0c0de0a10\tinsn: 55", and BPF's output.
 */
bool fl_perf_is_later_line(struct slice line)
{
	struct slice word, text = fl_slice_trim(line), cgroup;
	size_t size;

	if (!line.size || !fl_is_blank(line.data[0]))
		return false;
	word = peek_word(line, &size);
	if (line.data[0] == '\t')
		return fl_slice_ends(text, ":") ||
		       fl_slice_starts(text, "... not reaching") ||
		       (all_hex(word) && size < line.size &&
			line.data[size] == '\t');
	if (fl_slice_starts(text, "BPF output:") ||
	    fl_slice_starts(text, "BPF string:"))
		return true;
	return (word.size == 5 && word.data[4] == ':' &&
		all_hex((struct slice){ word.data, 4 })) ||
	       fl_perf_end_columns(line, &cgroup);
}

/* Columns of one line --------------------------------------------------- */

/* Whether the text ends in the path of a module: " (/opt/app)". */
static bool ends_in_path(struct slice s)
{
	size_t i = s.size;

	while (--i > 1)
		if (s.data[i - 1] == '(' && s.data[i - 2] == ' ' &&
		    memchr("/[", s.data[i], 2))
			return !memmem(s.data + i, s.size - i, ") ", 2);
	return false;
}

/* Whether columns after a frame may begin so; names with blanks do not. */
static bool may_be_columns(struct slice s)
{
	static const char *const begins[] = {
		"ABI:", "0x", "ilen:", "insn:", "/", "unknown", "IPC:", NULL
	};
	size_t size;
	struct slice word = peek_word(s, &size);

	for (size_t i = 0; begins[i]; i++)
		if (fl_slice_starts(word, begins[i]))
			return true;
	return is_aligned_hex(s, &size) || is_page_size(word) ||
	       fl_slice_starts(s, "\t\t");
}

/*
 * The offset of the columns after a frame; s.size: none.  They follow a module
 * with a path, or begin as columns do, or follow a bracket.
 */
static size_t find_end_columns(struct slice s, struct slice *cgroup)
{
	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 1; i < s.size; i++) {
			struct slice rest = { s.data + i, s.size - i };

			if (!fl_is_blank(s.data[i]) ||
			    (pass == 1 ? fl_is_blank(s.data[i - 1]) ||
					 !may_be_columns(rest) :
					 s.data[i - 1] != ')') ||
			    (pass == 0 &&
			     !ends_in_path((struct slice){ s.data, i })))
				continue;
			if (fl_perf_end_columns(rest, cgroup))
				return i;
		}
	return s.size;
}

/* perf's flags column of a branch. */
static bool is_branch_kind(struct slice word)
{
	static const char *const kinds[] = {
		"call", "return", "jcc", "jmp", "int", "iret", "syscall",
		"sysret", "async", "hw", "tx", "tr", "vmentry", "vmexit", NULL
	};

	for (size_t i = 0; kinds[i]; i++)
		if (fl_slice_is(word, kinds[i]))
			return true;
	return false;
}

/* The last address in sixteen columns, and the text after it. */
static struct slice last_address(struct slice s)
{
	struct slice rest = s, found = s;
	size_t size;
	bool padded = all_hex(peek_word(s, &size));

	while (rest.size) {
		struct slice word = peek_word(rest, &size);
		bool wide = size > ADDRESS_WIDTH;

		/* Names may be hexadecimal, too. */
		if ((wide || (!padded && word.size >= 8)) &&
		    word.size <= ADDRESS_WIDTH && all_hex(word)) {
			padded |= wide;
			found = (struct slice){
				word.data, rest.data + rest.size - word.data
			};
		}
		advance(&rest, size ? size : 1);
	}
	return found;
}

struct slice fl_perf_frame_of_line(struct slice rest, struct slice *cgroup)
{
	struct slice word, ignored;
	const char *arrow;
	size_t size;

	*cgroup = (struct slice){ "", 0 };
	/* "from => to" of a branch; callindent has a name before both. */
	arrow = memmem(rest.data, rest.size, " => ", 4);
	if (arrow)
		rest.size = arrow - rest.data;
	rest = fl_slice_trim(rest);
	if (arrow)
		return last_address(rest);
	rest.size = find_end_columns(rest, cgroup);
	word = peek_word(rest, &size);
	if (fl_slice_starts(word, "/"))
		*cgroup = word;
	if (!all_hex(word) && !fl_slice_starts(word, "/") &&
	    !is_branch_kind(word))
		return rest;
	ignored = last_address(rest);
	return fl_slice_trim(ignored);
}

/* "12 34 /kubepods.slice": numbers, then the cgroup, and no more. */
struct slice fl_perf_header_cgroup(struct slice rest)
{
	struct slice none = { "", 0 }, word;
	size_t size;

	for (; rest.size; advance(&rest, size)) {
		word = peek_word(rest, &size);
		if (fl_slice_starts(word, "/"))
			return size == rest.size ? word : none;
		if (!fl_slice_digits(word) && !all_hex(word))
			break;
	}
	return none;
}
