/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by readers of native stacks (bcc.c, dtrace.c, stap.c, bpftrace/ and
 * others).  fl_trace_add() collects frames as they are printed, leaf first, and
 * fl_trace_stack() makes a stack of them; fl_keys_add() reads the comm, pid and
 * tid that tracers print beside a stack.  Names: offsets are cut off, and
 * Rust's mangling is undone.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>

bool fl_trace_add(struct flame *flame, struct fl_trace *trace,
		  const struct flame_frame *frame)
{
	/* It may be one of the trace's own, which moves. */
	struct flame_frame copy = *frame;

	if (!fl_grow(&trace->frames, &trace->capacity, trace->count + 1,
		     sizeof(*trace->frames))) {
		fl_no_memory(flame);
		return false;
	}
	trace->frames[trace->count++] = copy;
	return true;
}

flame_id fl_trace_stack(struct flame *flame, flame_id base,
			const struct fl_trace *trace)
{
	for (size_t i = trace->count; i--;)
		base = flame_stack(flame, base,
				   flame_frame(flame, &trace->frames[i]));
	return base;
}

void fl_trace_is_kernel(struct fl_trace *trace, size_t from, size_t to)
{
	for (size_t i = from; i < to && i < trace->count; i++)
		trace->frames[i].type = FLAME_KERNEL;
}

/* Keys ---------------------------------------------------------------- */

void fl_keys_add(struct flame *flame, struct fl_keys *keys, struct slice key)
{
	flame_id name = flame_name(flame, key.data, key.size);

	if (!fl_slice_digits(key)) {
		if (!keys->comm)
			keys->comm = name;
	} else if (!keys->pid) {
		keys->pid = name;
	} else if (!keys->tid) {
		keys->tid = name;
	}
}

flame_id fl_keys_thread(struct flame *flame, const struct fl_keys *keys)
{
	flame_id set = 0;

	if (keys->comm)
		set = flame_label(flame, set, fl_name(flame, "thread"),
				  keys->comm);
	if (keys->pid)
		set = flame_label(flame, set, fl_name(flame, "pid"),
				  keys->pid);
	if (keys->tid)
		set = flame_label(flame, set, fl_name(flame, "tid"),
				  keys->tid);
	return set;
}

flame_id fl_keys_stack(struct flame *flame, const struct fl_keys *keys)
{
	return !keys->comm ? 0 :
	       flame_stack(flame, 0, fl_frame(flame, keys->comm,
					      FLAME_GROUP));
}

int fl_probe_text(const uint8_t *head, size_t n, const char *text)
{
	return n >= strlen(text) && memcmp(head, text, strlen(text)) == 0 ?
	       FL_FORMAT_CERTAIN : 0;
}

/* Text ---------------------------------------------------------------- */

void fl_report_unnamed(struct flame_source *source, uint64_t n,
		       const char *advice)
{
	if (n)
		fl_remark(source->flame, "%s: %" PRIu64 " frames are addresses "
			  "without names, shown as these or as their "
			  "library: %s",
			  fl_in_name(source->in), n, advice);
}

bool fl_slice_digits(struct slice s)
{
	for (size_t i = 0; i < s.size; i++)
		if (s.data[i] < '0' || s.data[i] > '9')
			return false;
	return s.size > 0;
}

bool fl_parse_hex(struct slice s, uint64_t *n)
{
	if (s.size < 3 || s.size > 18 || !fl_slice_starts(s, "0x"))
		return false;
	*n = 0;
	for (size_t i = 2; i < s.size; i++) {
		char c = s.data[i];

		if (!fl_is_hex(c))
			return false;
		*n = *n << 4 | (uint64_t)(fl_is_digit(c) ? c - '0' :
					  (c | 0x20) - 'a' + 10);
	}
	return true;
}

struct slice fl_no_offset(struct slice s, bool decimal)
{
	size_t i = s.size, n;

	while (i && memchr("0123456789abcdefABCDEF", s.data[i - 1], 22))
		i--;
	if (i >= 4 && i < s.size && memcmp(s.data + i - 3, "+0x", 3) == 0)
		return (struct slice){ s.data, i - 3 };
	for (i = s.size; i && s.data[i - 1] >= '0' && s.data[i - 1] <= '9';)
		i--;
	n = s.size - i;
	if (decimal && i >= 2 && n && s.data[i - 1] == '+')
		s.size = i - 1;
	return s;
}

static const struct { const char *escape; char c; } escapes[] = {
	{ "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' },
	{ "$GT$", '>' }, { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' },
	{ "$u7e$", '~' }, { "$u20$", ' ' }, { "$u27$", '\'' },
	{ "$u3d$", '=' }, { "$u5b$", '[' }, { "$u5d$", ']' },
	{ "$u7b$", '{' }, { "$u7d$", '}' }, { "$u3b$", ';' },
	{ "$u2b$", '+' }, { "$u21$", '!' }, { "$u22$", '"' },
};

static bool has_rust_hash(struct slice s)
{
	if (s.size < 17 || s.data[s.size - 17] != 'h')
		return false;
	for (size_t i = s.size - 16; i < s.size; i++)
		if (!memchr("0123456789abcdefABCDEF", s.data[i], 22))
			return false;
	return true;
}

static size_t unescape(struct fl_buf *to, struct slice s)
{
	for (size_t i = 0; i < FL_COUNT(escapes); i++)
		if (fl_slice_starts(s, escapes[i].escape)) {
			fl_buf_byte(to, escapes[i].c);
			return strlen(escapes[i].escape);
		}
	fl_buf_put(to, s.data, s.size);
	return s.size;
}

void fl_rust_name(struct fl_buf *to, struct slice s)
{
	size_t used;

	if (!has_rust_hash(s)) {
		fl_buf_put(to, s.data, s.size);
		return;
	}
	s.size -= 17;
	if (fl_slice_ends(s, "::"))
		s.size -= 2;
	if (fl_slice_starts(s, "_$")) {
		s.data++;
		s.size--;
	}
	for (; s.size; s.data += used, s.size -= used) {
		used = 1;
		if (s.data[0] == '$') {
			used = unescape(to, s);
		} else if (fl_slice_starts(s, "..")) {
			fl_buf_text(to, "::");
			used = 2;
		} else {
			fl_buf_byte(to, s.data[0]);
		}
	}
}
