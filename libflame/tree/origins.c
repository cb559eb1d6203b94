/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the inputs of a tree or page, with their formats and facts
 * (arguments of the JVM, CPUs, ...), and writes one name for all of them: the
 * title of a picture, "3 files exec-*.jfr".  Values of arguments that hold
 * secrets become "***".  For tree.c, draw/page.c and draw/html_about.c.
 */
#include "fl.h"

#include "io/path_labels.h"
#include "tree/origins.h"

#include <stdio.h>
#include <strings.h>

enum { MAX_FOLDERS = 3 };	/* that a title names */

static const char *copy(struct flame *flame, const char *text)
{
	return fl_arena_copy(&flame->arena, text, strlen(text));
}

/* Whether "-Ddb.password" and its like: its value is nobody's business. */
static bool is_secret(const char *at, size_t size)
{
	static const char *const words[] = {
		"passw", "secret", "token", "credential", "apikey", "api-key",
	};

	for (size_t k = 0; k < size; k++) {
		if (!strchr("psctaPSCTA", at[k]))
			continue;
		for (size_t i = 0, n; i < FL_COUNT(words); i++) {
			n = strlen(words[i]);
			if (k + n <= size &&
			    strncasecmp(at + k, words[i], n) == 0)
				return true;
		}
	}
	return false;
}

/* A fact's value; "***" stands for values of arguments that are secret. */
static const char *copy_value(struct flame *flame, const char *text)
{
	struct fl_buf buf = { 0 };
	const char *made = NULL;

	while (*text) {
		size_t size = strcspn(text, " "), name = strcspn(text, " =");

		if (name < size && is_secret(text, name)) {
			fl_buf_put(&buf, text, name + 1);
			fl_buf_text(&buf, "***");
		} else {
			fl_buf_put(&buf, text, size);
		}
		text += size;
		if (*text)
			fl_buf_byte(&buf, *text++);
	}
	if (!buf.failed)
		made = copy(flame, buf.data ? buf.data : "");
	fl_buf_free(&buf);
	return made;
}

static bool copy_facts(struct flame *flame, struct fl_origin *origin,
		       const struct flame_source *source)
{
	size_t n = FL_MIN(source->nfacts, (size_t)FL_MAX_ORIGIN_FACTS);

	if (!n)
		return true;
	origin->facts = fl_zeroed(n, sizeof(*origin->facts));
	if (!origin->facts)
		return false;
	for (; origin->nfacts < n; origin->nfacts++) {
		struct flame_fact *fact = &origin->facts[origin->nfacts];

		fact->key = copy(flame, source->facts[origin->nfacts].key);
		fact->value = copy_value(flame,
					 source->facts[origin->nfacts].value);
		if (!fact->key || !fact->value)
			return false;
	}
	return true;
}

bool fl_origins_add(struct fl_origins *origins,
		    const struct flame_source *source)
{
	struct flame *flame = source->flame;
	struct fl_origin *origin;

	if (source->format == &fl_format_empty)
		return true;
	if (!fl_grow(&origins->data, &origins->capacity, origins->count + 1,
		     sizeof(*origins->data)))
		return false;
	origin = &origins->data[origins->count++];
	*origin = (struct fl_origin){ .format = source->format->name };
	origin->name = copy(flame, fl_in_name(source->in));
	return origin->name &&
	       (origins->count > FL_MAX_ORIGINS_WITH_FACTS ||
		copy_facts(flame, origin, source));
}

static const char *copy_part(struct flame *flame, const char *at, size_t size)
{
	return fl_arena_copy(&flame->arena, at, size);
}

static bool add_stated(struct flame *flame, struct fl_origins *origins,
		       const char *line, size_t size)
{
	size_t name = strcspn(line, "\t\n");
	size_t format = name < size ? name + 1 : size;
	struct fl_origin *origin;

	if (!fl_grow(&origins->data, &origins->capacity, origins->count + 1,
		     sizeof(*origins->data)))
		return false;
	origin = &origins->data[origins->count++];
	*origin = (struct fl_origin){
		.name = copy_part(flame, line, name),
		.format = copy_part(flame, line + format, size - format),
	};
	return origin->name && origin->format;
}

/* Of the last origin; its array holds the most there may be. */
static bool add_stated_fact(struct flame *flame, struct fl_origin *origin,
			    const char *line, size_t size)
{
	size_t key = strcspn(line, "\t\n");
	size_t value = key < size ? key + 1 : size;
	struct flame_fact *fact;

	if (!origin->facts)
		origin->facts = fl_zeroed(FL_MAX_ORIGIN_FACTS,
					  sizeof(*origin->facts));
	if (!origin->facts)
		return false;
	if (origin->nfacts == FL_MAX_ORIGIN_FACTS)
		return true;
	fact = &origin->facts[origin->nfacts++];
	fact->key = copy_part(flame, line, key);
	fact->value = copy_part(flame, line + value, size - value);
	return fact->key && fact->value;
}

bool fl_origins_parse(struct flame *flame, struct fl_origins *origins,
		      const char *text)
{
	bool good = true;

	while (good && *text) {
		size_t size = strcspn(text, "\n");

		if (*text != '\t')
			good = add_stated(flame, origins, text, size);
		else if (origins->count)
			good = add_stated_fact(
				flame, &origins->data[origins->count - 1],
				text + 1, size - 1);
		text += size + (text[size] != '\0');
	}
	return good;
}

unsigned fl_origins_needs(const struct fl_origins *origins)
{
	return origins->count < FL_MAX_ORIGINS_WITH_FACTS ? FL_NEED_FACTS : 0;
}

void fl_origins_free(struct fl_origins *origins)
{
	for (size_t i = 0; i < origins->count; i++)
		fl_free(origins->data[i].facts);
	fl_free(origins->data);
	*origins = (struct fl_origins){ 0 };
}

/* The last part of a path; empty for an input without a file. */
static struct slice file_name(const struct fl_origin *origin)
{
	const char *slash = strrchr(origin->name, '/');

	if (strcmp(origin->name, "standard input") == 0 ||
	    strncmp(origin->name, "/dev/", 5) == 0 ||
	    strncmp(origin->name, "/proc/", 6) == 0)
		return (struct slice){ "", 0 };
	slash = slash && slash[1] ? slash + 1 : origin->name;
	return (struct slice){ slash, strlen(slash) };
}

/* Bytes that all names begin with, or end with; up to a character. */
static size_t shared(const struct fl_origins *origins, bool end)
{
	struct slice first = file_name(&origins->data[0]);
	size_t n = first.size;

	for (size_t i = 1; i < origins->count; i++) {
		struct slice name = file_name(&origins->data[i]);
		size_t k = 0, most = FL_MIN(n, name.size);

		while (k < most && (end ? first.data[first.size - 1 - k] ==
					  name.data[name.size - 1 - k] :
					  first.data[k] == name.data[k]))
			k++;
		n = k;
	}
	/* Not into the middle of a character. */
	while (n && (end ? (first.data[first.size - n] & 0xc0) == 0x80 :
			   n < first.size &&
			   (first.data[n] & 0xc0) == 0x80))
		n--;
	return n;
}

/* Without a letter, part of a name means nothing to a reader. */
static bool has_letter(const char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((at[i] | 32) >= 'a' && (at[i] | 32) <= 'z')
			return true;
	return false;
}

/* The last two parts of the folder that all inputs lie in; or empty. */
static struct slice folder(const struct fl_origins *origins)
{
	const char *first = origins->data[0].name, *slash;
	size_t n = strlen(first), from;

	for (size_t i = 1; i < origins->count; i++) {
		size_t k = 0;

		while (k < n && first[k] == origins->data[i].name[k])
			k++;
		n = k;
	}
	slash = memrchr(first, '/', n);
	n = slash ? slash - first : 0;
	slash = n ? memrchr(first, '/', n) : NULL;
	if (slash && slash > first)
		slash = memrchr(first, '/', slash - first);
	from = slash && slash != first + n ? slash + 1 - first : 0;
	return (struct slice){ first + from, n - from };
}

/* An executor of Spark: by its path, else by its command line. */
struct executor {
	char app[64], id[32];
};

static void set_label(char *to, size_t size, struct slice value)
{
	if (!*to && value.size && value.size < size)
		snprintf(to, size, "%.*s", (int)value.size, value.data);
}

static bool find_executor(const struct fl_origin *origin, struct executor *e)
{
	struct fl_path_labels labels;
	struct slice value;

	*e = (struct executor){ .app = "" };
	fl_path_labels(origin->name, &labels);
	set_label(e->app, sizeof(e->app), labels.value[FL_PATH_APP]);
	set_label(e->id, sizeof(e->id), labels.value[FL_PATH_EXECUTOR]);
	for (size_t i = 0; i < origin->nfacts; i++) {
		if (fl_fact_label(&origin->facts[i], FL_PATH_APP, &value))
			set_label(e->app, sizeof(e->app), value);
		if (fl_fact_label(&origin->facts[i], FL_PATH_EXECUTOR, &value))
			set_label(e->id, sizeof(e->id), value);
	}
	return *e->app && *e->id;
}

/* "app-1 executor 4", "app-1, 3 executors", "app-1, app-2, 5 executors". */
static void put_executors(struct fl_buf *to, const struct executor *first,
			  const struct executor *other, size_t napps,
			  size_t nids)
{
	if (nids == 1)
		fl_buf_print(to, strcmp(first->id, "driver") == 0 ? "%s %s" :
				 "%s executor %s", first->app, first->id);
	else if (napps == 1)
		fl_buf_print(to, "%s, %zu executors", first->app, nids);
	else if (napps == 2)
		fl_buf_print(to, "%s, %s, %zu executors", first->app,
			     other->app, nids);
	else
		fl_buf_print(to, "%zu applications, %zu executors", napps,
			     nids);
}

/* false: not all inputs are executors. */
static bool name_executors(const struct fl_origins *origins, struct fl_buf *to)
{
	struct fl_map apps = { 0 }, ids = { 0 };
	struct executor first, e, other = { .app = "" };
	bool good = find_executor(&origins->data[0], &first);

	for (size_t i = 0; good && i < origins->count; i++) {
		uint64_t app, id;

		good = find_executor(&origins->data[i], &e);
		if (!good)
			break;
		app = fl_hash(e.app, strlen(e.app));
		id = fl_hash_pair(app, fl_hash(e.id, strlen(e.id)));
		good = fl_map_put(&apps, app, NULL) &&
		       fl_map_put(&ids, id, NULL);
		if (!*other.app && strcmp(e.app, first.app) != 0)
			other = e;
	}
	if (good)
		put_executors(to, &first, &other, apps.count, ids.count);
	fl_map_free(&apps);
	fl_map_free(&ids);
	return good;
}

/* The last part of an input's folder; empty: its path has none. */
static struct slice folder_name(const struct fl_origin *origin)
{
	struct slice file = file_name(origin);
	size_t n = file.size ? file.data - origin->name : 0, from;

	n -= n > 0;
	for (from = n; from && origin->name[from - 1] != '/'; from--)
		;
	return (struct slice){ origin->name + from, n - from };
}

/* " of run1, run2": a few folders that inputs lie in; false: they do not. */
static bool put_folders(const struct fl_origins *origins, struct fl_buf *to)
{
	struct slice names[MAX_FOLDERS];
	size_t n = 0;

	for (size_t i = 0, k; i < origins->count; i++) {
		struct slice name = folder_name(&origins->data[i]);

		for (k = 0; k < n && !fl_slice_same(names[k], name); k++)
			;
		if (!has_letter(name.data, name.size) ||
		    (k == n && n == MAX_FOLDERS))
			return false;
		if (k == n)
			names[n++] = name;
	}
	for (size_t k = 0; k < n; k++) {
		fl_buf_text(to, k ? ", " : " of ");
		fl_buf_put(to, names[k].data, names[k].size);
	}
	return true;
}

/* "a.jfr, b.jfr", "a.jfr and 4 more". */
static void put_first_files(const struct fl_origins *origins, struct fl_buf *to)
{
	struct slice first = file_name(&origins->data[0]);
	struct slice second = file_name(&origins->data[1]);

	if (!first.size || !second.size) {
		fl_buf_print(to, "%zu files", origins->count);
		return;
	}
	fl_buf_put(to, first.data, first.size);
	if (origins->count > 2) {
		fl_buf_print(to, " and %zu more", origins->count - 1);
		return;
	}
	fl_buf_text(to, ", ");
	fl_buf_put(to, second.data, second.size);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* " exec-*.jfr": what names have in common, without parts of numbers. */
static void put_pattern(const struct fl_origins *origins, size_t begin,
			struct fl_buf *to)
{
	struct slice first = file_name(&origins->data[0]);
	size_t end = FL_MIN(shared(origins, true), first.size - begin);

	while (begin + end < first.size && begin &&
	       is_digit(first.data[begin - 1]))
		begin--;
	while (begin + end < first.size && end &&
	       is_digit(first.data[first.size - end]))
		end--;
	fl_buf_byte(to, ' ');
	fl_buf_put(to, first.data, begin);
	if (begin < first.size)
		fl_buf_byte(to, '*');
	fl_buf_put(to, first.data + first.size - end, end);
}

struct slice fl_origins_folder(const struct fl_origins *origins)
{
	struct slice none = { "", 0 }, of;

	if (origins->count < 2 ||
	    has_letter(file_name(&origins->data[0]).data, shared(origins, false)))
		return none;
	of = folder(origins);
	return has_letter(of.data, of.size) ? of : none;
}

static void name_files(const struct fl_origins *origins, struct fl_buf *to)
{
	struct slice first = file_name(&origins->data[0]);
	struct slice of = fl_origins_folder(origins);
	size_t begin = shared(origins, false), before = to->size;
	bool of_letters = has_letter(first.data, begin);

	fl_buf_print(to, "%zu files", origins->count);
	if (of.size) {
		fl_buf_text(to, " of ");
		fl_buf_put(to, of.data, of.size);
		return;
	}
	if (of_letters)
		put_pattern(origins, begin, to);
	if (of_letters && begin < first.size)
		return;
	/* Numbers, unlike names, or one name in several folders. */
	if (put_folders(origins, to) || of_letters)
		return;
	to->size = before;
	put_first_files(origins, to);
}

void fl_origins_name(const struct fl_origins *origins, struct fl_buf *to)
{
	const char *title = fl_origins_fact(origins, "title");
	struct slice first;

	if (!origins->count || (!title && name_executors(origins, to)))
		return;
	if (origins->count > 1) {
		name_files(origins, to);
		return;
	}
	first = file_name(&origins->data[0]);
	if (title)
		fl_buf_text(to, title);
	else
		fl_buf_put(to, first.data, first.size);
}

const char *fl_origins_fact(const struct fl_origins *origins, const char *key)
{
	const struct fl_origin *first = origins->data;

	for (size_t i = 0; origins->count && i < first->nfacts; i++)
		if (strcmp(first->facts[i].key, key) == 0)
			return first->facts[i].value;
	return NULL;
}
