/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe of formats in JSON: they are recognized by a key near the
 * beginning.  A format calls fl_json_probe() with the path of its key and the
 * head of the input, and returns the result as its bits.
 */
#include "fl.h"

#include "io/json.h"

enum {
	BITS = 40,		/* of a key that identifies the format */
	MAX_HEAD = 1 << 20	/* bytes within which it must be */
};

/* Whether part n of the path is the key; *last: it is the last part. */
static bool is_part(const char *path, unsigned n, struct slice key, bool *last)
{
	const char *dot;

	for (; n; n--)
		path = strchr(path, '.') + 1;
	dot = strchr(path, '.');
	*last = !dot;
	return key.size == (dot ? (size_t)(dot - path) : strlen(path)) &&
	       memcmp(key.data, path, key.size) == 0;
}

/* Reads the head up to the key: whether it is there. */
static bool find_key(struct fl_json *json, const char *path)
{
	unsigned objects = 0;
	bool last;

	for (;;) {
		switch (fl_json_next(json)) {
		case FL_JSON_OBJECT:
			objects++;
			break;
		case FL_JSON_OBJECT_END:
			objects--;
			break;
		case FL_JSON_KEY:
			if (!is_part(path, objects - 1, json->text, &last))
				fl_json_skip(json);
			else if (last)
				return true;
			break;
		case FL_JSON_FAILED:
		case FL_JSON_END:
			return false;
		default:
			break;
		}
		if (!json->depth)
			return false;
	}
}

int fl_json_probe(const uint8_t *head, size_t n, bool whole, const char *path)
{
	const char *dot = strrchr(path, '.'), *key = dot ? dot + 1 : path;
	struct fl_json json;
	bool found, cut;

	/* Nearly all of many probes end here. */
	if ((whole || n >= MAX_HEAD) && !memmem(head, n, key, strlen(key)))
		return 0;
	fl_json_init_memory(&json, head, n);
	found = fl_json_begins(head, n) && find_key(&json, path);
	cut = json.cut;
	fl_json_free(&json);
	if (found)
		return BITS;
	return cut && !whole && n < MAX_HEAD ? -1 : 0;
}

int fl_json_probe_any(const uint8_t *head, size_t n, bool whole,
		      const char *const *paths, size_t npaths)
{
	int best = 0;

	for (size_t i = 0; i < npaths && best <= 0; i++) {
		int bits = fl_json_probe(head, n, whole, paths[i]);

		if (bits)
			best = bits;
	}
	return best;
}
