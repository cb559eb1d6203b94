/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads maps of stacks as bpftrace prints them, as text or with -f json.  Each
 * entry is a sample of a metric with the name of its map; prints.c sums maps
 * that are printed more than once.  A key is the same in text and JSON: stacks
 * leaf first, a frame a line, indented, and other parts between commas.  Of two
 * stacks the kernel's is on top of the user's.  A map whose values are stacks
 * has a sample of 1 for each key.
 */
#include "fl.h"

#include "format/bpftrace/prints.h"
#include "format/format.h"
#include "native/frame.h"

#include <inttypes.h>
#include <stdlib.h>

/* A key's stacks: where each begins in the trace. */
enum { STACKS = 2 };

struct reader {
	struct fl_line_reader base;

	struct fl_buf key;	/* of the text's entry that is open */
	bool open;
	uint64_t first;		/* its first line */
	size_t map_size;
	size_t key_end;		/* of an entry whose value comes; 0: none */
	bool histogram;		/* that value has buckets, which are added up: */
	int64_t in_buckets;
	struct fl_buf value;	/* its lines: a stack */
	struct fl_bpf_prints prints;
	bool apart;		/* an empty line, or another came */
	bool read;		/* the input has ended */

	struct slice json;	/* the rest of a line's map */
	struct fl_buf name, text;	/* a map's and a key's, unescaped */

	size_t begin[STACKS], nstacks;
	flame_id pointer;	/* the key's first one */
	bool empty;		/* a part of the key is: a stack of none */
	uint64_t others, negative, no_stack;
	int64_t unseen;		/* their weight */
};

/* Keys ---------------------------------------------------------------- */

static bool is_hex(struct slice s)
{
	for (size_t i = 0; i < s.size; i++)
		if (!memchr("0123456789abcdef", s.data[i], 16))
			return false;
	return s.size > 0;
}

/* Addresses of the kernel have their highest bits set. */
static bool is_kernel_address(struct slice s)
{
	if (fl_slice_starts(s, "0x"))
		s = fl_slice_from(s, 2);
	return s.size == 16 && is_hex(s) && fl_slice_starts(s, "ffff");
}

/* Indented, or, of kstack(raw) and ustack(raw), an address alone. */
static bool is_frame(struct slice line)
{
	return line.size && (line.data[0] == ' ' || line.data[0] == '\t' ||
			     (line.size >= 4 && line.size <= 16 &&
			      is_hex(line)));
}

/*
 * "f+12", "0x55d2", of kstack(perf) "ffffffff81 f+12", of ustack(perf)
 * "55d2 f+12 (/lib/x.so)"; kernel modules as "f+12 [nf]".
 */
static void add_frame(struct reader *r, struct slice s)
{
	struct flame_frame frame = { .type = FLAME_UNKNOWN };
	struct slice rest = s, module = { "", 0 };
	struct slice word = fl_slice_split(&rest, ' ');
	struct flame *flame = r->base.flame;

	if (is_kernel_address(word))
		frame.type = FLAME_KERNEL;
	if (rest.size && is_hex(word) && word.size >= 4) {
		s = fl_slice_trim(rest);
		if (fl_slice_ends(s, ")"))
			for (size_t i = s.size; i-- > 1;)
				if (s.data[i] == '(' && s.data[i - 1] == ' ') {
					module = (struct slice){ s.data + i + 1,
						s.size - i - 2 };
					s.size = i - 1;
					break;
				}
	}
	s = fl_no_offset(fl_slice_trim(s), true);
	if (fl_slice_starts(s, "0x") && module.size > 1 &&
	    module.data[0] == '/') {
		module = fl_slice_base(module);
		r->base.buf.size = 0;
		fl_buf_byte(&r->base.buf, '[');
		fl_buf_put(&r->base.buf, module.data, module.size);
		fl_buf_byte(&r->base.buf, ']');
		s = (struct slice){ r->base.buf.data ? r->base.buf.data : "",
				    r->base.buf.size };
	} else if (!fl_slice_starts(s, "0x") && !frame.type) {
		frame.type = FLAME_NATIVE;
	}
	frame.name = flame_name(flame, s.data, s.size);
	frame.file = flame_name(flame, module.data, module.size);
	fl_trace_add(flame, &r->base.trace, &frame);
}

/* Functions at the entry to the kernel, and where kernel threads begin. */
static bool is_entry(struct slice name)
{
	static const char *const entries[] = {
		"entry_SYSCALL_", "asm_sysvec_", "asm_exc_", "asm_common_",
		"ret_from_fork", "secondary_startup_64", "do_syscall_64",
		"el0_svc", "el0t_64_", "el1h_64_", "ret_to_user", NULL
	};

	for (size_t i = 0; entries[i]; i++)
		if (fl_slice_starts(name, entries[i]))
			return true;
	return false;
}

static bool is_kernel(struct reader *r, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (r->base.trace.frames[i].type == FLAME_KERNEL ||
		    is_entry(fl_name_at(r->base.flame,
					r->base.trace.frames[i].name)))
			return true;
	return false;
}

/* [ustack, kstack]: the kernel's stack is on top. */
static void swap_stacks(struct reader *r, size_t middle)
{
	struct fl_trace *trace = &r->base.trace;
	size_t n = trace->count;

	for (size_t i = 0; i < middle; i++)
		fl_trace_add(r->base.flame, trace, &trace->frames[i]);
	if (trace->count == n + middle)
		memmove(trace->frames, trace->frames + middle,
			n * sizeof(*trace->frames));
	trace->count = n;
}

/* 1: the user's stack is first, -1: the kernel's; 0: not known. */
static int order_of(struct reader *r)
{
	size_t n = r->base.trace.count,
	       middle = r->nstacks == 2 ? r->begin[1] : n;

	if (is_kernel(r, 0, middle))
		return -1;
	return r->nstacks == 2 && is_kernel(r, middle, n) ? 1 : 0;
}

static void type_stacks(struct reader *r, int order)
{
	size_t n = r->base.trace.count,
	       middle = r->nstacks == 2 ? r->begin[1] : n;

	if (order > 0) {
		swap_stacks(r, middle);
		fl_trace_is_kernel(&r->base.trace, 0, n - middle);
	} else if (r->nstacks == 2 || order) {
		fl_trace_is_kernel(&r->base.trace, 0, middle);
	}
}

static flame_id stack_of(struct reader *r)
{
	struct flame *flame = r->base.flame;

	return fl_trace_stack(flame, fl_keys_stack(flame, &r->base.keys),
			      &r->base.trace);
}

/* "burn, 42, ": some may be empty, the last where a stack follows. */
static void add_keys(struct reader *r, struct slice s, bool first, bool last)
{
	bool begins = true;

	for (;;) {
		bool more = s.size && memchr(s.data, ',', s.size);
		struct slice key = fl_slice_trim(fl_slice_split(&s, ','));

		/* An empty key beside others is a stack without frames. */
		if (fl_slice_starts(key, "0x") && !r->pointer)
			r->pointer = flame_name(r->base.flame, key.data,
						key.size);
		else if (key.size)
			fl_keys_add(r->base.flame, &r->base.keys, key);
		else if ((!begins || first) && (more || last))
			r->empty = true;
		begins = false;
		if (!more)
			break;
	}
}

static void split_key(struct reader *r, struct slice key)
{
	bool in_stack = false, first = true;

	r->base.trace.count = r->nstacks = 0;
	r->empty = false;
	r->pointer = 0;
	memset(&r->base.keys, 0, sizeof(r->base.keys));
	while (key.size || first) {
		struct slice s = fl_slice_split(&key, '\n');

		if (!first && is_frame(s)) {
			if (!in_stack && r->nstacks < STACKS)
				r->begin[r->nstacks++] = r->base.trace.count;
			in_stack = true;
			add_frame(r, fl_slice_trim(s));
		} else {
			in_stack = false;
			add_keys(r, s, first, !key.size);
		}
		first = false;
	}
	if (!r->base.keys.comm)
		r->base.keys.comm = r->pointer;
}

/* Entries ------------------------------------------------------------- */

/* "@stacks" is "stacks", "@" is "samples"; some names are units. */
static flame_id metric_of(struct reader *r, struct slice map)
{
	static const char *const units[] = {
		"bytes", "ns", "us", "ms", "pages", NULL
	};
	const char *unit = "samples";
	char name[128];
	size_t n = FL_MIN(map.size - 1, sizeof(name) - 1);

	memcpy(name, map.data + 1, n);
	name[n] = '\0';
	if (!n)
		return flame_metric(r->base.flame, "samples", unit);
	for (size_t i = 0; units[i]; i++) {
		struct slice s = { name, n };
		size_t m = strlen(units[i]);

		if (fl_slice_ends(s, units[i]) &&
		    (n == m || name[n - m - 1] == '_'))
			unit = units[i];
	}
	return flame_metric(r->base.flame, name, unit);
}

/* The lines of a stack that is a value.  false: it is none. */
static bool take_stack(struct reader *r, struct slice value)
{
	struct fl_keys *keys = &r->base.keys;

	if (!memchr(value.data, '\n', value.size))
		return false;
	/* Pointers and numbers are not threads here. */
	keys->pid = keys->tid = 0;
	if (keys->comm == r->pointer)
		keys->comm = 0;
	r->base.trace.count = r->nstacks = 0;
	while (value.size) {
		struct slice line = fl_slice_trim(fl_slice_split(&value, '\n'));

		if (line.size)
			add_frame(r, line);
	}
	return r->base.trace.count;
}

/* Entries that have no stack are of another kind of map. */
static bool take_entry(struct reader *r, struct slice map, struct slice key,
		       struct slice text)
{
	struct fl_bpf_value value = { .weight = 1, .apart = r->apart };
	struct flame *flame = r->base.flame;

	r->apart = false;
	split_key(r, key);
	value.is_stack = !r->base.trace.count && take_stack(r, text);
	if ((!r->base.trace.count && !r->empty) ||
	    (!value.is_stack && !fl_parse_int(text, &value.weight))) {
		r->others++;
		return false;
	}
	if (value.weight < 0) {
		r->negative++;
		return false;
	}
	value.metric = metric_of(r, map);
	value.thread = fl_keys_thread(flame, &r->base.keys);
	value.order = order_of(r);
	type_stacks(r, value.order);
	value.stack = stack_of(r);
	if (r->nstacks < 2) {
		value.order = 0;
	} else if (!value.order) {
		/* Other keys of the map may have it. */
		split_key(r, key);
		type_stacks(r, 1);
		value.user_first = stack_of(r);
	}
	r->base.lines.good += value.stack != 0;
	return fl_bpf_prints_add(flame, &r->prints, map, key, &value);
}

static void leave_out(struct reader *r, flame_id metric, int64_t weight)
{
	r->base.flame->metrics[metric].no_stack++;
	r->no_stack++;
	if (__builtin_add_overflow(r->unseen, weight, &r->unseen))
		r->unseen = INT64_MAX;
}

/* The samples of all maps: the run that printed them has ended. */
static void end_run(struct reader *r)
{
	struct flame *flame = r->base.flame;

	for (size_t i = 0; i < r->prints.nentries; i++) {
		const struct fl_bpf_entry *entry = &r->prints.entries[i];
		struct flame_sample sample = {
			.stack = fl_bpf_prints_stack(&r->prints, entry),
			.thread = entry->thread,
			.metric = entry->metric, .time = FLAME_NOTIME,
			.weight = fl_bpf_prints_weight(&r->prints, entry),
		};

		fl_metric_count(flame, sample.metric, 1, sample.weight);
		if (sample.stack)
			fl_batch_add(r->base.source, &sample);
		else
			leave_out(r, sample.metric, sample.weight);
	}
	fl_bpf_prints_end(flame, &r->prints, fl_in_name(r->base.source->in));
}

/* Text ---------------------------------------------------------------- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* "@name[" or "@name:"; n: of the name, with its '@'. */
static bool is_map(struct slice s, size_t *n)
{
	size_t i = 1;

	if (!s.size || s.data[0] != '@')
		return false;
	while (i < s.size && is_letter(s.data[i]))
		i++;
	*n = i;
	return i < s.size && (s.data[i] == '[' || s.data[i] == ':');
}

/* "]: 12" at the end of the key; i: where. */
static bool find_value(struct slice s, size_t *i)
{
	for (*i = s.size; (*i)-- > 0;)
		if (s.data[*i] == ']' && *i + 1 < s.size &&
		    s.data[*i + 1] == ':' &&
		    (*i + 2 == s.size || s.data[*i + 2] == ' '))
			return true;
	return false;
}

/* The map and the key of r->key, up to key_end. */
static bool end_key(struct reader *r, size_t key_end, struct slice value)
{
	size_t from = FL_MIN(r->map_size + 1, key_end);

	return take_entry(r, (struct slice){ r->key.data, r->map_size },
			  (struct slice){ r->key.data + from, key_end - from },
			  value);
}

/* The lines of a value that is a stack have ended. */
static void end_value(struct reader *r)
{
	size_t key_end = r->key_end;

	r->key_end = 0;
	if (key_end && r->histogram) {
		if (r->key.data && r->key.data[r->map_size] != '[') {
			r->others++;	/* one of the whole map */
			return;
		}
		r->value.size = 0;
		fl_buf_number(&r->value, r->in_buckets);
	}
	if (key_end)
		end_key(r, key_end, fl_buf_slice(&r->value));
}

/* What follows is the value, unless the line has it. */
static void begin_value(struct reader *r, size_t key_end)
{
	r->open = false;
	r->key_end = key_end;
	r->value.size = 0;
	r->histogram = false;
	r->in_buckets = 0;
}

static const char *bucket_end(struct slice line)
{
	for (size_t i = 0; i < line.size; i++)
		if (line.data[i] == ']' || line.data[i] == ')')
			return line.data + i;
	return NULL;
}

/* "[64K, 128K)      12 |@@@       |", also "[1]" and "(..., 0)". */
static bool is_bucket(struct slice line, int64_t *count)
{
	const char *end = line.size && (line.data[0] == '[' ||
					line.data[0] == '(') ?
			  bucket_end(line) : NULL;
	struct slice rest, word;

	if (!end || !fl_slice_ends(fl_slice_trim_end(line), "|"))
		return false;
	rest = (struct slice){ end + 1, (size_t)(line.data + line.size -
						 end) - 1 };
	return fl_dump_word(&rest, &word) && fl_parse_digits(word, count) &&
	       fl_slice_starts(fl_slice_trim(rest), "|");
}

/* The total of stats(): "count 3, average 10, total 30". */
static struct slice total_of(struct slice value)
{
	static const char key[] = ", total ";
	const char *at = fl_slice_starts(value, "count ") ?
			 fl_slice_find(value, key) : NULL;

	if (!at)
		return value;
	at += strlen(key);
	return (struct slice){ at, (size_t)(value.data + value.size - at) };
}

/* A line that may be the last of an entry. */
static void end_entry(struct reader *r, struct slice line)
{
	struct slice value;
	size_t i, had = r->key.size - line.size;

	if (!r->key.data || !find_value(line, &i))
		return;
	value = total_of(fl_slice_trim(
		(struct slice){ line.data + i + 2, line.size - i - 2 }));
	if (!value.size) {
		begin_value(r, had + i);
		return;
	}
	r->open = false;
	if (end_key(r, had + i, value) && !r->base.lines.ended) {
		fl_warn(r->base.flame,
			"%s: line %" PRIu64 ": the last line has no "
			"end, its value %.*s may be cut",
			fl_in_name(r->base.source->in), r->base.lines.number,
			(int)FL_MIN(value.size, (size_t)24), value.data);
		r->base.source->damage = 1;
	}
}

static void begin_entry(struct reader *r, struct slice line, size_t n)
{
	if (r->open)
		fl_lines_bad(&r->base.lines, line);
	r->open = line.data[n] == '[';
	r->map_size = n;
	r->first = r->base.lines.number;
	r->key.size = 0;
	fl_buf_put(&r->key, line.data, line.size);
	if (r->open)
		end_entry(r, fl_slice_from(line, n));
	else if (fl_slice_trim_end(line).size == n + 1)
		begin_value(r, n + 1);
	else
		r->others++;
}

/* Lines that are not entries: histograms, output of the script. */
static void take_text(struct reader *r, struct slice line)
{
	size_t n;
	int64_t count;

	if (r->key_end && is_bucket(line, &count)) {
		r->histogram = true;
		r->in_buckets = fl_add_clamped(r->in_buckets, count);
		return;
	}
	if (r->key_end && is_frame(line)) {
		fl_buf_byte(&r->value, '\n');
		fl_buf_put(&r->value, line.data, line.size);
		return;
	}
	end_value(r);
	if (is_map(line, &n)) {
		begin_entry(r, line, n);
		return;
	}
	if (!r->open) {
		r->apart = true;
		return;
	}
	fl_buf_byte(&r->key, '\n');
	fl_buf_put(&r->key, line.data, line.size);
	/* An entry does not end in a frame. */
	if (is_frame(line))
		return;
	if (line.size && (line.data[0] == ',' || line.data[0] == ']')) {
		end_entry(r, line);
		return;
	}
	fl_lines_bad(&r->base.lines, line);
	r->open = false;
}

/* JSON ---------------------------------------------------------------- */

static void skip_blanks(struct slice *s)
{
	while (s->size && memchr(" \t\r\n", s->data[0], 4)) {
		s->data++;
		s->size--;
	}
}

static bool take_sign(struct slice *s, char c)
{
	skip_blanks(s);
	if (!s->size || s->data[0] != c)
		return false;
	s->data++;
	s->size--;
	return true;
}

static bool take_hex(struct slice *s, uint32_t *code)
{
	static const char digits[] = "0123456789abcdef";

	*code = 0;
	if (s->size < 4)
		return false;
	for (unsigned i = 0; i < 4; i++) {
		char c = s->data[i];
		const char *at = memchr(digits, c >= 'A' && c <= 'F' ?
						c | 32 : c, 16);

		if (!at)
			return false;
		*code = *code * 16 + (uint32_t)(at - digits);
	}
	s->data += 4;
	s->size -= 4;
	return true;
}

static bool take_escape(struct slice *s, struct fl_buf *to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *at;
	uint32_t code;
	char c;

	if (!s->size)
		return false;
	c = *s->data++;
	s->size--;
	at = memchr(from, c, sizeof(from) - 1);
	if (at)
		fl_buf_byte(to, into[at - from]);
	else if (c == 'u' && take_hex(s, &code))
		fl_utf8_put(to, code);
	else
		return false;
	return true;
}

static bool take_string(struct slice *s, struct fl_buf *to)
{
	to->size = 0;
	if (!take_sign(s, '"'))
		return false;
	while (s->size) {
		char c = *s->data++;

		s->size--;
		if (c == '"')
			return !to->failed;
		if (c != '\\')
			fl_buf_byte(to, c);
		else if (!take_escape(s, to))
			return false;
	}
	return false;
}

/*
 * Any value; its text.  Brackets are counted, not matched: what bpftrace
 * writes here is never looked into.
 */
static bool take_value(struct slice *s, struct slice *value)
{
	const char *from;
	size_t depth = 0;
	bool quoted = false;

	skip_blanks(s);
	from = s->data;
	for (; s->size; s->data++, s->size--) {
		char c = s->data[0];

		if (quoted && c == '\\' && s->size > 1) {
			s->data++;
			s->size--;
		} else if (c == '"') {
			quoted = !quoted;
		} else if (!quoted && (c == '{' || c == '[')) {
			depth++;
		} else if (!quoted && depth && (c == '}' || c == ']')) {
			depth--;
		} else if (!quoted && !depth && (c == ',' || c == '}')) {
			break;
		}
	}
	*value = fl_slice_trim((struct slice){ from,
					       (size_t)(s->data - from) });
	/* A ',' or '}' follows: the value is complete. */
	return s->size && value->size;
}

static void json_ends(struct reader *r)
{
	r->json.size = 0;
	r->map_size = 0;
}

/* A value's text; of a string, what it spells. */
static bool take_any(struct reader *r, struct slice *s, struct slice *value)
{
	skip_blanks(s);
	if (!s->size || s->data[0] != '"')
		return take_value(s, value);
	if (!take_string(s, &r->value))
		return false;
	*value = fl_buf_slice(&r->value);
	return true;
}

/* The entries of the map that was begun. */
static void take_entries(struct reader *r)
{
	struct slice *s = &r->json, value;

	r->apart = true;
	while (s->size) {
		if (take_sign(s, '}')) {
			break;
		}
		take_sign(s, ',');
		if (!take_string(s, &r->text) || !take_sign(s, ':') ||
		    !take_any(r, s, &value)) {
			fl_lines_bad(
				&r->base.lines,
				FL_SLICE("{\"type\": \"map\" "
					 "that does not end, or is not JSON"));
			r->prints.cut = true;
			break;
		}
		take_entry(r, fl_buf_slice(&r->name), fl_buf_slice(&r->text),
			   value);
	}
	json_ends(r);
}

/* {"type": "map", "data": {"@name": {KEY: VALUE, ...}}} */
static void begin_json(struct reader *r, struct slice line)
{
	static const char *const others[] = {
		"\"hist\"", "\"stats\"", "\"lhist\"", "\"tseries\"", NULL
	};
	struct slice s = line, type = { "", 0 };

	if (!take_sign(&s, '{') || !take_string(&s, &r->text) ||
	    !fl_slice_is((struct slice){ r->text.data ? r->text.data : "",
					 r->text.size },
			 "type") ||
	    !take_sign(&s, ':') || !take_value(&s, &type)) {
		fl_lines_bad(&r->base.lines, line);
		return;
	}
	for (size_t i = 0; others[i]; i++)
		r->others += fl_slice_is(type, others[i]);
	if (!fl_slice_is(type, "\"map\""))
		return;
	if (!take_sign(&s, ',') || !take_string(&s, &r->text) ||
	    !take_sign(&s, ':') || !take_sign(&s, '{') ||
	    !take_string(&s, &r->name) || !r->name.size ||
	    r->name.data[0] != '@' || !take_sign(&s, ':')) {
		fl_lines_bad(&r->base.lines, line);
		return;
	}
	/* "@n": 5 is not a map of keys. */
	if (take_sign(&s, '{'))
		r->json = s;
	else
		r->others++;
}

/* The row ------------------------------------------------------------- */

static int at_end(struct reader *r)
{
	const char *name = fl_in_name(r->base.source->in);
	int damage = r->base.source->damage;

	if (r->others)
		fl_remark(r->base.flame, "%s: %" PRIu64 " entries of maps that "
			  "have no stacks, or no counts, left out", name,
			  r->others);
	if (r->no_stack)
		fl_remark(r->base.flame,
			  "%s: %" PRIu64 " entries without a stack "
			  "left out, of %" PRId64 " in all",
			  name, r->no_stack, r->unseen);
	if (r->negative)
		fl_warn(r->base.flame,
			"%s: %" PRIu64 " values below 0 left out", name,
			r->negative);
	if (r->open)
		fl_warn(r->base.flame, "%s: line %" PRIu64 ": the input ends "
			"within this entry: it is left out", name, r->first);
	fl_lines_end(r->base.source, &r->base.lines);
	if (r->open || damage)
		fl_line_reader_damage(&r->base);
	return FLAME_END;
}

static bool begins_run(struct slice line)
{
	return fl_slice_starts(line, "Attach") ||
	       fl_slice_starts(line, "{\"type\": \"attached_probes\"");
}

static void take_line(struct reader *r, struct slice line)
{
	if (begins_run(line) && !r->open) {
		end_value(r);
		end_run(r);
	}
	if (r->open || !fl_slice_starts(line, "{\"")) {
		take_text(r, line);
		return;
	}
	end_value(r);
	begin_json(r, line);
	take_entries(r);
}

static void end_input(struct reader *r)
{
	r->read = true;
	/* Its last line may lack its end: then it lacks its root, too. */
	if (r->key_end && r->value.size && !r->base.lines.ended)
		r->open = true;
	else
		end_value(r);
	/* An empty line ends a print. */
	r->prints.cut |= !r->apart;
	end_run(r);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	struct slice line;

	while (!source->batch.n) {
		if (r->read)
			return at_end(r);
		if (fl_lines_next(&r->base.lines, &line))
			take_line(r, line);
		else
			end_input(r);
		if (r->key.failed || r->name.failed || r->text.failed ||
		    r->value.failed)
			return fl_no_memory(source->flame);
		if (fl_failed(source->flame))
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

static void release(void *state)
{
	struct reader *r = state;

	fl_buf_free(&r->key);
	fl_buf_free(&r->name);
	fl_buf_free(&r->text);
	fl_buf_free(&r->value);
	fl_bpf_prints_free(&r->prints);
	fl_line_reader_free(&r->base);
}

/* "Attaching 1 probe...", maps; JSON's "type" is one that bpftrace has. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n };
	bool attaching = false;
	size_t size;

	if (n && memchr(head, '\0', n))
		return 0;
	while (rest.size) {
		bool ended = memchr(rest.data, '\n', rest.size) != NULL;
		struct slice s = fl_slice_split(&rest, '\n');

		if (fl_slice_starts(s, "{\"type\": \"attached_probes\"") ||
		    fl_slice_starts(s, "{\"type\": \"map\", \"data\": {\"@"))
			return 40;
		if (!ended && !whole)
			break;
		attaching |= fl_slice_starts(s, "Attaching ") &&
			     memchr(s.data, '.', s.size);
		if (is_map(s, &size))
			return s.data[size] == ':' && !attaching ? 4 :
			       attaching ? 32 : 16;
	}
	return attaching && !whole && n < 1 << 18 ? -1 : 0;
}

const struct fl_format fl_format_bpftrace = {
	.name = "bpftrace",
	.summary = "maps of stacks, as bpftrace prints them or with -f json",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
	.json = true,
};
