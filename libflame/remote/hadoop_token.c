/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_hadoop_token_file() finds a delegation token for HDFS in a file of
 * Hadoop's, for hdfs_token.c.  The file is "HDTS", a byte for the format, and
 *
 *	0	the number of tokens, and of each an alias and the token: its
 *		identifier, password, kind and service; numbers are those of
 *		WritableUtils.writeVLong, all else is a size and bytes
 *	1	a size, and a CredentialsProto
 *
 * WebHDFS expects the bytes of the first format in base64.
 */
#include "fl.h"

#include "base/protobuf.h"
#include "remote/hadoop_token.h"

#include <stdio.h>

enum { MAX_FILE = 1 << 20 };	/* bytes */

struct token {
	struct slice identifier, password, kind, service;
};

/* Numbers and texts ------------------------------------------------------- */

static bool read_number(struct slice *rest, uint64_t *number)
{
	int first = rest->size ? (signed char)rest->data[0] : -1;
	size_t size;

	if (!rest->size)
		return false;
	rest->data++;
	rest->size--;
	*number = (uint64_t)first;
	if (first >= -112)
		return first >= 0;
	size = (size_t)(-112 - first);
	if (size > 8 || size > rest->size)	/* or below 0 */
		return false;
	for (*number = 0; size; size--, rest->size--)
		*number = *number << 8 | (uint8_t)*rest->data++;
	return true;
}

static bool read_text(struct slice *rest, struct slice *text)
{
	uint64_t size;

	if (!read_number(rest, &size) || size > rest->size)
		return false;
	*text = (struct slice){ rest->data, (size_t)size };
	rest->data += size;
	rest->size -= (size_t)size;
	return true;
}

static void put_text(struct fl_buf *out, struct slice text)
{
	unsigned bytes = 0;

	if (text.size > 127) {
		for (size_t n = text.size; n; n >>= 8)
			bytes++;
		fl_buf_byte(out, (char)(-112 - (int)bytes));
		while (bytes--)
			fl_buf_byte(out, (char)(text.size >> 8 * bytes));
	} else {
		fl_buf_byte(out, (char)text.size);
	}
	fl_buf_put(out, text.data, text.size);
}

/* Of base64url, without the = at its end. */
static void put_base64(struct fl_buf *out, struct slice bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789-_";
	const uint8_t *at = (const uint8_t *)bytes.data;

	for (size_t i = 0; i < bytes.size; i += 3) {
		size_t n = FL_MIN(bytes.size - i, (size_t)3);
		uint32_t bits = (uint32_t)at[i] << 16;

		if (n > 1)
			bits |= (uint32_t)at[i + 1] << 8;
		if (n > 2)
			bits |= at[i + 2];
		for (size_t digit = 0; digit <= n; digit++)
			fl_buf_byte(out, digits[bits >> (18 - 6 * digit) & 63]);
	}
}

/* Choosing ---------------------------------------------------------------- */

struct choice {
	bool (*is_ours)(void *arg, struct slice service);
	void *arg;
	struct token found;
	bool has_found;
};

static void consider(struct choice *choice, const struct token *token)
{
	if (choice->has_found ||
	    (!fl_slice_is(token->kind, "HDFS_DELEGATION_TOKEN") &&
	     !fl_slice_is(token->kind, "WEBHDFS delegation") &&
	     !fl_slice_is(token->kind, "SWEBHDFS delegation")) ||
	    !choice->is_ours(choice->arg, token->service))
		return;
	choice->found = *token;
	choice->has_found = true;
}

static void read_writable(struct choice *choice, struct slice rest)
{
	struct slice alias;
	struct token t;
	uint64_t count;

	if (!read_number(&rest, &count))
		return;
	while (count-- && read_text(&rest, &alias) &&
	       read_text(&rest, &t.identifier) &&
	       read_text(&rest, &t.password) && read_text(&rest, &t.kind) &&
	       read_text(&rest, &t.service))
		consider(choice, &t);
}

static void read_proto_token(struct choice *choice, struct fl_message message)
{
	struct token t = { { "", 0 }, { "", 0 }, { "", 0 }, { "", 0 } };
	struct slice *const members[] = {
		&t.identifier, &t.password, &t.kind, &t.service
	};
	struct fl_field field;

	while (fl_field_next(&message, &field))
		if (field.number >= 1 && field.number <= FL_COUNT(members))
			*members[field.number - 1] = fl_field_text(&field);
	if (!message.damaged)
		consider(choice, &t);
}

static void read_proto(struct choice *choice, struct slice rest)
{
	struct fl_message all = fl_message_of(rest.data, rest.size), pair;
	struct fl_field field, member;
	uint64_t size;

	if (!fl_varint(&all, &size))
		return;
	while (fl_field_next(&all, &field)) {
		if (field.number != 1)
			continue;
		pair = fl_field_message(&field);
		while (fl_field_next(&pair, &member))
			if (member.number == 2)
				read_proto_token(choice,
						 fl_field_message(&member));
	}
}

bool fl_hadoop_token(struct fl_buf *out, const void *file, size_t size,
		     bool (*is_ours)(void *arg, struct slice service),
		     void *arg)
{
	struct choice choice = { .is_ours = is_ours, .arg = arg };
	struct slice rest = { file, size };
	struct fl_buf bytes = { 0 };
	const struct token *t;

	if (size < 5 || !fl_slice_starts(rest, "HDTS"))
		return false;
	rest.data += 5;
	rest.size -= 5;
	if (rest.data[-1] == 0)
		read_writable(&choice, rest);
	else
		read_proto(&choice, rest);
	if (!choice.has_found)
		return false;
	t = &choice.found;
	put_text(&bytes, t->identifier);
	put_text(&bytes, t->password);
	put_text(&bytes, t->kind);
	put_text(&bytes, t->service);
	put_base64(out, fl_buf_slice(&bytes));
	fl_buf_free(&bytes);
	return !out->failed;
}

bool fl_hadoop_token_file(struct fl_buf *out, const char *path,
			  bool (*is_ours)(void *arg, struct slice service),
			  void *arg)
{
	FILE *file = fopen(path, "rbe");
	char *data = file ? fl_alloc(MAX_FILE) : NULL;
	size_t n = data ? fread(data, 1, MAX_FILE, file) : 0;
	bool good = n && fl_hadoop_token(out, data, n, is_ours, arg);

	fl_free(data);
	if (file)
		fclose(file);
	return good;
}
