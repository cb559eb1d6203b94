/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colours of flamegraph.pl and inferno-flamegraph, bit for bit, for
 * palette.c and frame_color.c: fl_classic_color() returns the colour of a name
 * and type.  Each hue is a range of red, green and blue, and three numbers v in
 * [0, 1), derived from the name with its type suffix, choose a colour in it.
 */
#include "draw/draw.h"

enum hue {
	HOT, MEM, IO, RED, GREEN, BLUE, YELLOW, PURPLE, AQUA, ORANGE
};

static unsigned in_range(unsigned least, unsigned range, double v)
{
	return least + (unsigned)(range * v);
}

static uint32_t rgb(unsigned r, unsigned g, unsigned b)
{
	return r << 16 | g << 8 | b;
}

static uint32_t paint(enum hue hue, const double *v)
{
	unsigned x;

	switch (hue) {
	case HOT:
		return rgb(in_range(205, 50, v[2]), in_range(0, 230, v[0]),
			   in_range(0, 55, v[1]));
	case MEM:
		return rgb(0, in_range(190, 50, v[1]), in_range(0, 210, v[0]));
	case IO:
		x = in_range(80, 60, v[0]);
		return rgb(x, x, in_range(190, 55, v[1]));
	case RED:
		x = in_range(50, 80, v[0]);
		return rgb(in_range(200, 55, v[0]), x, x);
	case GREEN:
		x = in_range(50, 60, v[0]);
		return rgb(x, in_range(200, 55, v[0]), x);
	case BLUE:
		x = in_range(80, 60, v[0]);
		return rgb(x, x, in_range(205, 50, v[0]));
	case YELLOW:
		x = in_range(175, 55, v[0]);
		return rgb(x, x, in_range(50, 20, v[0]));
	case PURPLE:
		x = in_range(190, 65, v[0]);
		return rgb(x, in_range(80, 60, v[0]), x);
	case AQUA:
		x = in_range(165, 55, v[0]);
		return rgb(in_range(50, 60, v[0]), x, x);
	case ORANGE:
		break;
	}
	return rgb(in_range(190, 65, v[0]), in_range(90, 65, v[0]), 0);
}

/* Names ------------------------------------------------------------------- */

static bool java_package(struct slice name)
{
	static const char *const roots[] = {
		"java/", "javax/", "jdk/", "net/", "org/", "com/", "io/",
		"sun/",
	};

	if (name.size && *name.data == 'L') {
		name.data++;
		name.size--;
	}
	for (size_t i = 0; i < FL_COUNT(roots); i++)
		if (fl_slice_starts(name, roots[i]))
			return true;
	return false;
}

static enum hue java_perl(struct slice name, enum flame_type type)
{
	if (type == FLAME_JIT)
		return GREEN;
	if (type == FLAME_INLINED)
		return AQUA;
	if (java_package(name) || fl_slice_has(name, ":::"))
		return GREEN;
	if (fl_slice_has(name, "::"))
		return YELLOW;
	return type == FLAME_KERNEL ? ORANGE : RED;
}

static enum hue java_inferno(struct slice name, enum flame_type type)
{
	struct slice bare = name;

	if (type == FLAME_KERNEL)
		return ORANGE;
	if (type == FLAME_INLINED)
		return AQUA;
	if (type == FLAME_JIT)
		return GREEN;
	if (fl_slice_has(name, "::") || fl_slice_starts(name, "-[") ||
	    fl_slice_starts(name, "+["))
		return YELLOW;
	if (bare.size && *bare.data == 'L') {
		bare.data++;
		bare.size--;
	}
	if (fl_slice_has(bare, "/"))
		return GREEN;
	if (bare.size && ((fl_slice_has(bare, ".") && *bare.data != '[') ||
			  (*bare.data >= 'A' && *bare.data <= 'Z')))
		return GREEN;
	return RED;
}

static enum hue js(struct slice name, enum flame_type type, bool inferno)
{
	const char *slash = memchr(name.data, '/', name.size);
	struct slice rest = { slash,
			      slash ? name.data + name.size - slash : 0 };

	if (inferno && type == FLAME_KERNEL)
		return ORANGE;
	if (type == FLAME_JIT)
		return slash ? GREEN : AQUA;
	if (fl_slice_has(name, "::"))
		return YELLOW;
	if (slash && fl_slice_has(rest, ".js"))
		return inferno && fl_slice_has(name, "node_modules/") ?
		       PURPLE : GREEN;
	if (fl_slice_has(name, ":"))
		return AQUA;
	if (fl_slice_is(name, " "))
		return GREEN;
	return type == FLAME_KERNEL ? ORANGE : RED;
}

static enum hue perl(struct slice name, enum flame_type type, bool inferno)
{
	if (inferno && type == FLAME_KERNEL)
		return ORANGE;
	if (fl_slice_has(name, "::"))
		return YELLOW;
	if (fl_slice_has(name, "Perl") || fl_slice_has(name, ".pl"))
		return GREEN;
	return type == FLAME_KERNEL ? ORANGE : RED;
}

static bool python_path(struct slice name)
{
	const char *end = name.data + name.size, *p = name.data;

	while ((p = memmem(p, end - p, "python", 6))) {
		for (p += 6; p < end && ((*p >= '0' && *p <= '9') ||
					 *p == '.'); p++)
			;
		if (p < end && (*p == '/' || *p == '\\'))
			return true;
	}
	return false;
}

static enum hue python(struct slice name)
{
	if (fl_slice_has(name, "site-packages"))
		return AQUA;
	return python_path(name) || fl_slice_starts(name, "<built-in") ||
	       fl_slice_starts(name, "<frozen") ||
	       fl_slice_starts(name, "<method") ? YELLOW : RED;
}

static enum hue rust(struct slice name)
{
	const char *tick = memchr(name.data, '`', name.size);

	if (tick) {
		name.size -= tick + 1 - name.data;
		name.data = tick + 1;
	}
	if (fl_slice_starts(name, "core::") || fl_slice_starts(name, "std::") ||
	    fl_slice_starts(name, "alloc::") ||
	    fl_slice_starts(name, "<core::") ||
	    fl_slice_starts(name, "<std::") ||
	    fl_slice_starts(name, "<alloc::"))
		return ORANGE;
	return fl_slice_has(name, "::") ? AQUA : YELLOW;
}

static enum hue hue_of(const struct fl_classic *how, struct slice name,
		       enum flame_type type)
{
	switch (how->palette) {
	case FL_CLASSIC_NONE:
	case FL_CLASSIC_HOT:
		return HOT;
	case FL_CLASSIC_MEM:
		return MEM;
	case FL_CLASSIC_IO:
		return IO;
	case FL_CLASSIC_WAKEUP:
		return AQUA;
	case FL_CLASSIC_CHAIN:
		return type == FLAME_WAKER || fl_slice_has(name, "_[w]") ?
		       AQUA : BLUE;
	case FL_CLASSIC_JAVA:
		return how->inferno ? java_inferno(name, type) :
				      java_perl(name, type);
	case FL_CLASSIC_JS:
		return js(name, type, how->inferno);
	case FL_CLASSIC_PERL:
		return perl(name, type, how->inferno);
	case FL_CLASSIC_PYTHON:
		return python(name);
	case FL_CLASSIC_RUST:
		return rust(name);
	case FL_CLASSIC_RED:
		return RED;
	case FL_CLASSIC_GREEN:
		return GREEN;
	case FL_CLASSIC_BLUE:
		return BLUE;
	case FL_CLASSIC_AQUA:
		return AQUA;
	case FL_CLASSIC_YELLOW:
		return YELLOW;
	case FL_CLASSIC_PURPLE:
		return PURPLE;
	case FL_CLASSIC_ORANGE:
		return ORANGE;
	}
	return HOT;
}

/* Numbers ----------------------------------------------------------------- */

/* The first drand48() after srand48(sum). */
static double first_random(uint32_t sum)
{
	uint64_t x = ((uint64_t)sum << 16) + 0x330e;

	x = (x * 0x5deece66du + 0xb) & 0xffffffffffffu;
	return (double)x / (double)(1ull << 48);
}

/* Reads the code point at *at and advances; an invalid byte is its value. */
static uint32_t read_code_point(const char **at, const char *end)
{
	const uint8_t *p = (const uint8_t *)*at;
	unsigned n = fl_utf8_length(*at, end - *at);

	*at += n ? n : 1;
	switch (n) {
	case 2:
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	case 3:
		return (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 |
		       (p[2] & 0x3fu);
	case 4:
		return (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 |
		       (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
	}
	return p[0];
}

static uint32_t sum_of(struct slice name)
{
	const char *p = name.data, *end = p + name.size;
	uint32_t sum = 0;

	while (p < end)
		sum += read_code_point(&p, end);
	return sum;
}

/* From three characters, modulo 10, 11 and 12. */
static double by_three(const uint32_t *c, unsigned n)
{
	double vector = 0, weight = 1, max = 1;

	for (unsigned i = 0; i < n; i++, weight *= 0.70) {
		vector += (double)(c[i] % (10 + i)) / (9 + i) * weight;
		max += weight;
	}
	return 1 - vector / max;
}

static double by_head(struct slice name)
{
	const char *end = name.data + name.size, *p = name.data;
	const char *tick = name.size > 1 ? memchr(p + 1, '`', name.size - 1) :
					   NULL;
	uint32_t c[3];
	unsigned n = 0;

	if (tick)
		p = tick + 1;
	while (p < end && n < 3)
		c[n++] = read_code_point(&p, end);
	return by_three(c, n);
}

/* The same for the name read backwards. */
static double by_tail(struct slice name)
{
	const char *end = name.data + name.size;
	const char *tick =
		name.size > 1 ? memrchr(name.data, '`', name.size - 1) : NULL;
	uint32_t c[3];
	unsigned n = 0;

	if (tick)
		end = tick;
	while (end > name.data && n < 3) {
		const char *p = end - 1, *at;

		while (p > name.data && end - p < 4 && (*p & 0xc0) == 0x80)
			p--;
		if (fl_utf8_length(p, end - p) != (size_t)(end - p))
			p = end - 1;
		at = p;
		c[n++] = read_code_point(&at, end);
		end = p;
	}
	return by_three(c, n);
}

/* FNV-1a; two more steps make v[1] and v[2]. */
static void by_fnv(struct slice name, double *v)
{
	const uint64_t prime = 0x100000001b3u;
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < name.size; i++)
		h = (h ^ (uint8_t)name.data[i]) * prime;
	for (unsigned i = 0; i < 3; i++, h *= prime)
		v[i] = (double)(float)((double)h / 18446744073709551616.0);
}

static double next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / (double)(1ull << 53);
}

uint32_t fl_classic_color(struct fl_classic *how, struct slice name,
			  enum flame_type type)
{
	const char *suffix = fl_type_suffix(type);
	char whole[512];
	struct slice full = name;
	double v[3] = { 0 };

	if (fl_slice_is(name, "--"))
		return 0xa0a0a0;
	if (fl_slice_is(name, "-"))
		return 0xc8c8c8;
	/* A longer name has no suffix. */
	if (*suffix && name.size < sizeof(whole) - 4) {
		memcpy(whole, name.data, name.size);
		memcpy(whole + name.size, suffix, 4);
		full = (struct slice){ whole, name.size + strlen(suffix) };
	}
	switch (how->by) {
	case FL_CLASSIC_BY_SUM:
		v[0] = v[1] = v[2] = first_random(sum_of(full));
		break;
	case FL_CLASSIC_BY_ENDS:
		v[0] = by_head(full);
		v[1] = v[2] = by_tail(full);
		break;
	case FL_CLASSIC_BY_FNV:
		by_fnv(full, v);
		break;
	case FL_CLASSIC_BY_CHANCE:
		if (!how->chance)
			how->chance = 1234;
		for (unsigned i = 0; i < 3; i++)
			v[i] = next_random(&how->chance);
		break;
	}
	return paint(hue_of(how, name, type), v);
}

uint32_t fl_classic_change(const struct fl_classic *how, double change,
			   double max_change)
{
	double size = change < 0 ? -change : change;
	double left = max_change > 0 ? max_change - size : 0;
	/* Multiplied first, as there: 210 * 1 / 5 is 42, 210 * 0.2 less. */
	unsigned x = max_change <= 0 ? 0 : how->inferno ?
		     100 + (unsigned)(150 * left / max_change) :
		     (unsigned)(210 * left / max_change);

	if (!change)
		return how->inferno ? 0xfafafa : 0xffffff;
	return change > 0 ? rgb(255, x, x) : rgb(x, x, 255);
}

/* For white text on a dark page: the same hue, 2/5 as bright. */
uint32_t fl_classic_dark(uint32_t color)
{
	return rgb((color >> 16) * 2 / 5, (color >> 8 & 255) * 2 / 5,
		   (color & 255) * 2 / 5);
}
