/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that contain a ';', which looks like one that separates frames:
 *
 *	process 42:"sh -c "a; b""	py-spy: an unquoted command line
 *	<[u8; 8] as Hash>::hash		Rust
 *	f<A;B>  m(Lx/Y;Lx/Z;)V  Lx/Y;::run	templates, signatures of JVMs
 *
 * fl_folded_join() returns the end of such a frame, for stack.c.  A ';' is part
 * of a frame only if a bracket or quote is open there, the text that follows
 * closes it, and that text does not look like a frame.
 */
#include "fl.h"

#include "base/block.h"
#include "format/folded/folded.h"

enum { MAX_NESTED = 32, MAX_PIECES = 8 };

/* Open brackets. */
struct open {
	char bracket[MAX_NESTED];
	unsigned n;
};

static bool is_operator(struct slice text, size_t i)
{
	static const char word[] = "operator";
	size_t size = sizeof(word) - 1;

	/* operator<, operator<<, operator<=>, operator->, operator>>= */
	while (i && memchr("<>=-", text.data[i - 1], 4))
		i--;
	return i >= size && memcmp(text.data + i - size, word, size) == 0;
}

/* The < and > of a->b, a => b, a < b and operator< are not brackets. */
static bool is_bracket(struct slice text, size_t i)
{
	char c = text.data[i], before = i ? text.data[i - 1] : '\0';
	char after = i + 1 < text.size ? text.data[i + 1] : '\0';

	if (c != '<' && c != '>')
		return c == '(' || c == ')' || c == '[' || c == ']';
	if (c == '>' && (before == '-' || before == '='))
		return false;
	if (c == '<' && (after == ' ' || after == '='))
		return false;
	return !is_operator(text, i);
}

/* false: a bracket closes that was not open, or too many are open. */
static bool step(struct open *open, char c)
{
	if (c == '(' || c == '[' || c == '<') {
		if (open->n == MAX_NESTED)
			return false;
		open->bracket[open->n++] = c;
		return true;
	}
	/* A < that was not closed is an operator: f(a<b). */
	while (c != '>' && open->n && open->bracket[open->n - 1] == '<')
		open->n--;
	if (!open->n || open->bracket[open->n - 1] != (c == ')' ? '(' :
						       c == ']' ? '[' : '<'))
		return false;
	open->n--;
	return true;
}

/* A bit for each of up to 16 bytes from i on that may be a bracket. */
static unsigned possible_brackets(struct slice text, size_t i)
{
	char block[FL_BLOCK_SIZE] = { 0 };

	if (text.size - i >= FL_BLOCK_SIZE)
		return fl_block_bracket(text.data + i);
	memcpy(block, text.data + i, text.size - i);
	return fl_block_bracket(block);
}

static bool scan(struct open *open, struct slice text)
{
	for (size_t i = 0; i < text.size; i += FL_BLOCK_SIZE) {
		unsigned possible = possible_brackets(text, i);

		for (; possible; possible &= possible - 1) {
			size_t at = i + (unsigned)__builtin_ctz(possible);

			if (is_bracket(text, at) &&
			    !step(open, text.data[at]))
				return false;
		}
	}
	return true;
}

bool fl_folded_process(struct slice frame, struct slice *pid,
		       struct slice *command)
{
	static const char word[] = "process ";
	size_t i = sizeof(word) - 1, from = i;

	if (!fl_slice_starts(frame, word))
		return false;
	while (i < frame.size && fl_is_digit(frame.data[i]))
		i++;
	if (i == from || i + 2 > frame.size || frame.data[i] != ':' ||
	    frame.data[i + 1] != '"')
		return false;
	*pid = (struct slice){ frame.data + from, i - from };
	*command = (struct slice){ frame.data + i + 2, frame.size - i - 2 };
	if (command->size && command->data[command->size - 1] == '"')
		command->size--;
	return true;
}

static bool is_process(struct slice text)
{
	struct slice pid, command;

	return fl_folded_process(text, &pid, &command);
}

/* Lx/Y of Lx/Y;::run. */
static bool is_class(struct slice piece)
{
	return piece.size > 2 && piece.data[0] == 'L' &&
	       memchr(piece.data, '/', piece.size) &&
	       !memchr(piece.data, ' ', piece.size) &&
	       !memchr(piece.data, '.', piece.size);
}

/* thread (1092): name, of py-spy. */
static bool is_named_thread(struct slice piece)
{
	return fl_slice_starts(piece, "thread (") &&
	       memmem(piece.data, piece.size, "): ", 3);
}

/* py-spy's frames: f (job.py:3), f (libc.so.6); not a thread's name "x (1)". */
static bool is_python_frame(struct slice piece)
{
	const char *open = memrchr(piece.data, '(', piece.size);
	bool place = false;

	if (!open || open == piece.data || open[-1] != ' ' ||
	    !fl_slice_ends(piece, ")"))
		return false;
	for (const char *c = open + 1; c < piece.data + piece.size; c++)
		place |= *c == '.' || *c == '/' || *c == ':' || *c == '<';
	return place;
}

bool fl_folded_opens(struct slice piece)
{
	struct open open = { .n = 0 };

	return is_process(piece) || is_named_thread(piece) || is_class(piece) ||
	       (scan(&open, piece) && open.n);
}

/* The end of the piece that begins at `from`. */
static size_t end_of(struct slice text, size_t from)
{
	const char *semi = memchr(text.data + from, ';', text.size - from);

	return semi ? (size_t)(semi - text.data) : text.size;
}

static struct slice part(struct slice text, size_t from, size_t end)
{
	return (struct slice){ text.data + from, end - from };
}

static bool is_outermost(struct slice piece)
{
	return is_process(piece) || fl_slice_starts(piece, "thread (");
}

/*
 * A command ends at a '"' before a ';' that no blank follows.  A command
 * without such an end was cut at its first ';'.
 */
static size_t join_process(struct slice text, size_t end, size_t *scanned)
{
	for (size_t at = end;; at = end_of(text, at + 1)) {
		bool more = at + 1 < text.size && text.data[at + 1] == ' ';

		if (text.data[at - 1] == '"' && !more) {
			*scanned = FL_MIN(at + 2, text.size);
			return at;
		}
		if (at == text.size)
			break;
		if (is_outermost(part(text, at + 1, end_of(text, at + 1))))
			break;
	}
	*scanned = SIZE_MAX;
	return end;
}

/* A thread's name extends to the first frame, if there is one. */
static size_t join_thread(struct slice text, size_t end, size_t *scanned)
{
	size_t at = end, next;

	*scanned = SIZE_MAX;
	while (at < text.size) {
		next = end_of(text, at + 1);
		if (is_python_frame(part(text, at + 1, next))) {
			*scanned = FL_MIN(next + 1, text.size);
			return at;
		}
		at = next;
	}
	return end;
}

/* The end of a JVM's type that begins at i; 0: none does. */
static size_t skip_type(struct slice text, size_t i)
{
	while (i < text.size && text.data[i] == '[')
		i++;
	if (i == text.size)
		return 0;
	if (text.data[i] != 'L')
		return memchr("BCDFIJSZV", text.data[i], 9) ? i + 1 : 0;
	i = end_of(text, i);
	return i < text.size ? i + 1 : 0;
}

/* The end of m(Lx/Y;I)V; 0: the text is something else. */
static size_t join_signature(struct slice text, size_t from, size_t end)
{
	const char *open = memchr(text.data + from, '(', end - from);
	size_t i;

	if (!open)
		return 0;
	i = (size_t)(open + 1 - text.data);
	while (i && i < text.size && text.data[i] != ')')
		i = skip_type(text, i);
	return i > end && i < text.size ? end_of(text, i) : 0;
}

/* Whether a piece closes a bracket before it opens one, as no frame does. */
static bool closes(struct slice piece)
{
	size_t i = 0;

	if (!piece.size)
		return false;
	if (memchr(" )]>,", piece.data[0], 5))
		return true;
	while (i < piece.size && !memchr("<>()[].", piece.data[i], 7))
		i++;
	return i < piece.size && memchr(">)]", piece.data[i], 3);
}

static bool has_suffix(struct slice piece)
{
	return piece.size > 4 && piece.data[piece.size - 1] == ']' &&
	       piece.data[piece.size - 3] == '[' &&
	       piece.data[piece.size - 4] == '_';
}

static size_t join_brackets(struct slice text, size_t from, size_t end)
{
	size_t at = end;

	for (int i = 0; i < MAX_PIECES && at < text.size; i++) {
		struct open open = { .n = 0 };
		size_t next = end_of(text, at + 1);

		if (has_suffix(part(text, from, at)) ||
		    !closes(part(text, at + 1, next)) ||
		    !scan(&open, part(text, from, next)))
			return 0;
		if (!open.n)
			return next;
		at = next;
	}
	return 0;
}

size_t fl_folded_join(struct slice text, size_t from, size_t end,
		      size_t *scanned)
{
	struct slice piece = part(text, from, end);
	size_t joined = 0;

	if (is_process(piece))
		return join_process(text, end, scanned);
	if (is_named_thread(piece))
		return join_thread(text, end, scanned);
	*scanned = SIZE_MAX;
	if (end == text.size)
		return end;
	if (is_class(piece))
		joined = end + 2 < text.size && text.data[end + 1] == ':' &&
			 text.data[end + 2] == ':' ? end_of(text, end + 1) : 0;
	if (!joined)
		joined = join_signature(text, from, end);
	if (!joined)
		joined = join_brackets(text, from, end);
	return joined ? joined : end;
}
