/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The draw room: colours, captions, and pages written into memory.
 */
#include "fl.h"

#include "draw/draw.h"
#include "format/formats.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

static struct flame *flame;
static struct fl_buf page;

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
}

static void stop(void)
{
	flame_free(flame);
	fl_buf_free(&page);
}

TestSuite(svg, .init = start, .fini = stop);
TestSuite(html, .init = start, .fini = stop);
TestSuite(schemes, .init = start, .fini = stop);

static struct slice slice(const char *text)
{
	return (struct slice){ text, strlen(text) };
}

/* Colours -------------------------------------------------------------- */

static double linear(unsigned c)
{
	double v = c / 255.0, x = (v + 0.055) / 1.055, y = 1;

	if (v <= 0.03928)
		return v / 12.92;
	/* x^2.4 as x^2 * x^0.4, the root by halving: no libm here. */
	for (double lo = 0, hi = 1;;) {
		y = (lo + hi) / 2;
		if (hi - lo < 1e-9)
			break;
		if (y * y * y * y * y < x * x)
			lo = y;
		else
			hi = y;
	}
	return x * x * y;
}

static double luminance(uint32_t c)
{
	return 0.2126 * linear(c >> 16) + 0.7152 * linear(c >> 8 & 255) +
	       0.0722 * linear(c & 255);
}

static double contrast(uint32_t a, uint32_t b)
{
	double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

	return x > y ? x / y : y / x;
}

Test(schemes, text_is_readable_on_every_colour)
{
	/* Those of history are as they were. */
	for (size_t i = 0; fl_schemes[i]; i++)
		for (unsigned n = 0; n < 3000 && !fl_schemes[i]->classic;
		     n++) {
			char name[64];
			struct fl_colors c;

			snprintf(name, sizeof(name), "p%u/C%u.m%u", n % 7,
				 n % 31, n);
			c = fl_schemes[i]->pick(slice(name), n % FL_TYPES);
			cr_assert_geq(contrast(c.light, 0x14181d), 7.0,
				      "%s %06x", fl_schemes[i]->name,
				      (unsigned)c.light);
			cr_assert_geq(contrast(c.dark, 0xf7f9fb), 4.5,
				      "%s %06x", fl_schemes[i]->name,
				      (unsigned)c.dark);
		}
}

Test(schemes, text_is_readable_on_groups_and_what_is_mine)
{
	for (unsigned i = 0; i < 24; i++) {
		cr_assert_geq(contrast(fl_group_color(i).light, 0x14181d), 7.0);
		cr_assert_geq(contrast(fl_group_color(i).dark, 0xf7f9fb), 4.5);
		cr_assert_geq(contrast(fl_mine_color(i).light, 0x14181d), 7.0);
		cr_assert_geq(contrast(fl_mine_color(i).dark, 0xf7f9fb), 4.5);
	}
}

Test(schemes, classic_colours_are_those_of_history)
{
	struct fl_classic how = { .palette = FL_CLASSIC_HOT };

	cr_expect_eq(fl_classic_color(&how, slice("main"), FLAME_UNKNOWN),
		     243 << 16 | 179 << 8 | 42);
	cr_expect_eq(fl_classic_color(&how, slice("foo"), FLAME_UNKNOWN),
		     220 << 16 | 71 << 8 | 17);
	cr_expect_eq(fl_classic_color(&how, slice(""), FLAME_UNKNOWN),
		     213 << 16 | 39 << 8 | 9);
	cr_expect_eq(fl_classic_color(&how, slice("oof"), FLAME_UNKNOWN),
		     fl_classic_color(&how, slice("foo"), FLAME_UNKNOWN));
	cr_expect_eq(fl_classic_color(&how, slice("--"), FLAME_UNKNOWN),
		     0xa0a0a0);
	/* Any bytes and lengths. */
	for (unsigned by = 0; by < 4; by++)
		for (size_t n = 0; n < 8; n++) {
			how.by = by;
			fl_classic_color(&how, (struct slice){
				"`\xce\xbb\xff`\x80`a", n }, FLAME_JIT);
		}
}

static uint32_t light(const char *scheme, const char *name,
		      enum flame_type type)
{
	const struct fl_scheme *s = fl_scheme_named(flame, scheme);

	cr_assert(s);
	return s->pick(slice(name), type).light;
}

Test(schemes, java_knows_java_by_its_name)
{
	cr_assert_eq(light("java", "a/b/C.m", FLAME_UNKNOWN),
		     light("type", "a/b/C.m", FLAME_JIT));
	cr_assert_eq(light("java", "do_sock_write.isra.10", FLAME_UNKNOWN),
		     light("type", "do_sock_write.isra.10", FLAME_NATIVE));
	cr_assert_eq(light("java", "JavaThread::run", FLAME_UNKNOWN),
		     light("type", "JavaThread::run", FLAME_CPP));
	cr_assert_eq(light("java", "a/b/C.m", FLAME_INLINED),
		     light("type", "a/b/C.m", FLAME_INLINED));
}

Test(schemes, an_unknown_name_lists_the_known_ones)
{
	cr_assert_null(fl_scheme_named(flame, "nope"));
	cr_assert(strstr(flame_error(flame), "java"));
	cr_assert(strstr(flame_error(flame), "orange"));
}

Test(schemes, java_looks)
{
	static const char *const yes[] = {
		"java/util/HashMap.get", "HashMap.get", "a.b.C.m",
		"java.lang.String", "Lio/x/C:::m", "com/x/$Proxy1.m",
		"a/B$$Lambda$4.0x0000000101b.run", "a/B.<init>",
		"java/util/Arrays.sort", "org.apache.solr.X.m",
		"java/net/SocketInputStream.socketRead0(Lorg.a.solr.X;)",
	};
	static const char *const no[] = {
		"", "main", "foo.part.0", "std::x", "/usr/lib/x.so",
		"libc.so.6", "lib.x.so+0x1", "a.B.m(/usr/lib/x.so)",
		"net/http.(*conn).serve", "[main]", "a b.C",
	};

	for (size_t i = 0; i < FL_COUNT(yes); i++)
		cr_expect(fl_looks_java(slice(yes[i])), "%s", yes[i]);
	for (size_t i = 0; i < FL_COUNT(no); i++)
		cr_expect_not(fl_looks_java(slice(no[i])), "%s", no[i]);
}

/* Captions ------------------------------------------------------------- */

Test(captions, names_are_read_as_people_read_them)
{
	static const struct {
		const char *name;
		enum flame_type type;
		const char *text, *class, *method;
	} cases[] = {
		{ "java/util/HashMap.get", FLAME_JIT,
		  "java.util.HashMap.get", "HashMap.get", "get" },
		{ "java/util/HashMap.get(Ljava/lang/Object;)V", FLAME_UNKNOWN,
		  "java.util.HashMap.get", "HashMap.get", "get" },
		{ "Lio/netty/C$D:::flush0", FLAME_UNKNOWN,
		  "io.netty.C$D.flush0", "C$D.flush0", "flush0" },
		{ "java.lang.Object[]", FLAME_KERNEL,
		  "java.lang.Object[]", "Object[]", "Object[]" },
		{ "s/Foo$$anonfun$map$1.apply", FLAME_JIT,
		  "s.Foo.map λ1", "Foo.map λ1", "map λ1" },
		{ "s/Foo$$anonfun$$lessinit$greater$1.apply", FLAME_JIT,
		  "s.Foo.λ", "Foo.λ", "λ" },
		{ "s/Foo$.$anonfun$map$1$adapted", FLAME_JIT,
		  "s.Foo$.map λ1", "Foo$.map λ1", "map λ1" },
		{ "a/B.lambda$foo$3", FLAME_JIT,
		  "a.B.foo λ3", "B.foo λ3", "foo λ3" },
		{ "a/B.foo$lambda$3", FLAME_JIT,
		  "a.B.foo λ3", "B.foo λ3", "foo λ3" },
		{ "a/Hash.lambda$md5$0", FLAME_JIT,
		  "a.Hash.md5 λ0", "Hash.md5 λ0", "md5 λ0" },
		{ "s/Foo.$anonfun$log1p$1", FLAME_JIT,
		  "s.Foo.log1p λ1", "Foo.log1p λ1", "log1p λ1" },
		{ "a/B.lambda$1", FLAME_JIT, "a.B.λ1", "B.λ1", "λ1" },
		{ "a/B$$Lambda$14/0x00f.run", FLAME_JIT,
		  "a.B$λ.run", "B$λ.run", "run" },
		{ "std::vector<int, A<int> >::push_back(int const&)",
		  FLAME_CPP,
		  "std::vector::push_back", "vector::push_back", "push_back" },
		{ "long foo::bar<int>(map<int, int>) [clone .isra.0]",
		  FLAME_CPP, "foo::bar", "foo::bar", "bar" },
		{ "<a::Vec<T> as core::Drop>::drop::h0123456789abcdef",
		  FLAME_NATIVE, "drop", "drop", "drop" },
		{ "(anonymous namespace)::Foo::operator()(int) const",
		  FLAME_CPP, "Foo::operator()", "Foo::operator()",
		  "operator()" },
		{ "decltype(std::declval<void (*)()>()()) "
		  "std::__1::__invoke<void (*)()>(void (*&&)())", FLAME_CPP,
		  "std::__1::__invoke", "__1::__invoke", "__invoke" },
		{ "decltype ({parm#1}()) a::call<b>(b&&)", FLAME_CPP,
		  "a::call", "a::call", "call" },
		{ "Foo::bar(int) const::{lambda(int)#1}::operator()(int) const",
		  FLAME_CPP, "Foo::bar::λ::operator()", "λ::operator()",
		  "operator()" },
		{ "Foo::bar() volatile &&::{lambda()#1}::operator()()",
		  FLAME_CPP, "Foo::bar::λ::operator()", "λ::operator()",
		  "operator()" },
		{ "Foo::operator unsigned long() const", FLAME_CPP,
		  "Foo::operator unsigned long",
		  "Foo::operator unsigned long", "operator unsigned long" },
		{ "my_operator foo::bar()", FLAME_CPP,
		  "foo::bar", "foo::bar", "bar" },
		{ "o& std::operator<< <T>(o&, char)", FLAME_CPP,
		  "std::operator<<", "std::operator<<", "operator<<" },
		{ "func (file.py:12)", FLAME_UNKNOWN, "func", "func", "func" },
		{ "tcp_sendmsg_[k]", FLAME_KERNEL,
		  "tcp_sendmsg", "tcp_sendmsg", "tcp_sendmsg" },
		{ "/usr/lib/libc.so.6", FLAME_NATIVE,
		  "/usr/lib/libc.so.6", "libc.so.6", "libc.so.6" },
		{ "[main tid=3]", FLAME_GROUP,
		  "[main tid=3]", "[main tid=3]", "[main tid=3]" },
		{ "(", FLAME_UNKNOWN, "(", "(", "(" },
		{ "::", FLAME_UNKNOWN, "::", "::", "::" },
	};

	for (size_t i = 0; i < FL_COUNT(cases); i++) {
		struct fl_caption c;
		struct slice all, class, method;

		fl_caption(&c, slice(cases[i].name), cases[i].type);
		all = (struct slice){ c.text, c.size };
		class = (struct slice){ c.text + c.class_at,
					c.size - c.class_at };
		method = (struct slice){ c.text + c.method_at,
					 c.size - c.method_at };
		cr_expect(fl_slice_is(all, cases[i].text) &&
			  fl_slice_is(class, cases[i].class) &&
			  fl_slice_is(method, cases[i].method),
			  "%s: %.*s", cases[i].name, (int)c.size, c.text);
	}
}

Test(captions, a_package_never_stays_at_the_cost_of_the_method)
{
	struct fl_caption c;
	size_t last = 0;

	fl_caption(&c, slice("org/apache/spark/Executor.run"), FLAME_JIT);
	for (double pixels = 0; pixels < 300; pixels++) {
		bool cut;
		struct slice s = fl_caption_fit(&c, pixels, &cut);

		cr_expect_geq(s.size, last);
		cr_expect(!s.size || cut || fl_slice_ends(s, "run"));
		cr_expect(!cut || !s.size || fl_slice_starts(s, "run"));
		last = s.size;
	}
	cr_expect_eq(last, c.size);
}

Test(captions, any_bytes_and_any_length_are_a_name)
{
	static char name[5000];
	struct fl_caption c;
	uint32_t seed = 1;

	for (unsigned round = 0; round < 20000; round++) {
		static const char some[] = "$./:<>({})_[ ]aL9\xce\xbb;~";
		size_t n = round % 40;
		bool cut;

		for (size_t i = 0; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			name[i] = some[(seed >> 16) % sizeof(some)];
		}
		fl_caption(&c, (struct slice){ name, n }, round % 10);
		cr_assert_leq(c.class_at, c.method_at);
		cr_assert_leq(c.method_at, c.size);
		fl_caption_fit(&c, round % 100, &cut);
	}
	memset(name, '(', sizeof(name));
	fl_caption(&c, (struct slice){ name, sizeof(name) }, FLAME_CPP);
	cr_assert_leq(c.size, sizeof(c.text));
}

/* Pages ---------------------------------------------------------------- */

static void put(struct flame_sink *sink, const char *stack, int64_t weight)
{
	struct flame_sample sample = {
		.metric = flame_metric(flame, "cpu", "samples"),
		.time = FLAME_NOTIME, .weight = weight,
	};

	while (*stack) {
		size_t n = strcspn(stack, ";");
		struct flame_frame frame = {
			.name = flame_name(flame, stack, n),
		};

		sample.stack = flame_stack(flame, sample.stack,
					   flame_frame(flame, &frame));
		stack += n + (stack[n] == ';');
	}
	cr_assert_eq(flame_put(sink, &sample), FLAME_OK);
}

static struct flame_sink *begin(const struct fl_format *format)
{
	struct flame_sink *sink;

	fl_buf_free(&page);
	page = (struct fl_buf){ 0 };
	sink = format->create(flame, fl_out_memory(flame, &page));
	cr_assert(sink);
	return sink;
}

static bool holds(const char *text)
{
	return strstr(page.data, text);
}

static unsigned times(const char *text)
{
	unsigned n = 0;

	for (const char *p = page.data; (p = strstr(p, text)); p++)
		n++;
	return n;
}

static void write_small(const struct fl_format *format)
{
	struct flame_sink *sink = begin(format);

	put(sink, "main;parse", 3);
	put(sink, "main;draw", 1234);
	put(sink, "main", 1);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
}

/* In ASCII, wherever it stands; a byte beyond it is not text. */
Test(escapes, usual_text_is_written_as_it_is_and_no_other)
{
	struct flame *for_errors = flame_new();
	char text[40];

	for (unsigned c = 0; c < 256; c++)
		for (size_t size = 1; size <= sizeof(text); size++) {
			struct slice slice = { text, size };
			struct fl_buf got = { 0 };
			struct fl_out *out = fl_out_memory(for_errors, &got);
			bool plain = c >= ' ' && c < 0x7f &&
				     !strchr("&<>\"'", (int)c), same;

			memset(text, 'x', sizeof(text));
			text[(size * 7 + c) % size] = (char)c;
			fl_put_escaped(out, slice, SIZE_MAX);
			cr_assert_eq(fl_out_close(out), FLAME_OK);
			same = got.size == size &&
			       memcmp(got.data, text, size) == 0;
			cr_assert_eq(same, plain);
			cr_assert(plain || !fl_needs_no_escape(slice));
			cr_assert(!plain || fl_needs_no_escape(slice) ||
				  c == ' ' || c == '!');
			fl_buf_free(&got);
		}
	flame_free(for_errors);
}

Test(svg, a_box_tells_its_name_its_weight_and_its_share)
{
	write_small(&fl_format_svg_write);
	cr_assert(holds("<title>draw (1,234 samples, 99.68%)</title>"));
	cr_assert(holds("<title>all (1,238 samples, 100.00%)</title>"));
	cr_assert(holds("x=\"1\" y=\"0\" width=\"1234\" height=\"1\""));
	cr_assert(holds("prefers-color-scheme:dark"));
	cr_assert_eq(times("<rect class"), 4);
	cr_assert_eq(times("<script"), 1);
}

Test(schemes, a_colour_tells_its_family)
{
	const struct fl_scheme *type = fl_scheme_named(flame, "type");
	struct fl_colors c = type->pick(slice("a/B.c"), FLAME_INLINED);

	cr_expect_str_eq(fl_family_name(c), "inlined");
	c = type->pick(slice("read"), FLAME_KERNEL);
	cr_expect_str_eq(fl_family_name(c), "kernel");
	c = type->pick(slice("all"), FLAME_GROUP);
	cr_expect_null(fl_family_name(c));
}

Test(svg, the_same_input_gives_the_same_bytes)
{
	char *first;

	write_small(&fl_format_svg_write);
	first = strdup(page.data);
	write_small(&fl_format_svg_write);
	cr_assert_str_eq(first, page.data);
	free(first);
}

Test(svg, what_is_too_narrow_is_outlined_and_told)
{
	struct flame_sink *sink = begin(&fl_format_svg_write);

	put(sink, "wide", 1000000);
	put(sink, "thin;thinner", 1);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_not(holds("thinner"));
	cr_assert_eq(times("<path class=\"cut\""), 2);
	cr_assert(holds("1 frames drawn"));
	cr_assert(holds(">frames narrower than 0.1 px are grey"));
}

Test(svg, lengths_stay_where_browsers_can_follow)
{
	struct flame_sink *sink = begin(&fl_format_svg_write);

	put(sink, "a", 3000000000000);
	put(sink, "b", 1000000000000);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert(holds("viewBox=\"0 0 4000000 2\""));
	cr_assert(holds("width=\"3000000\" height=\"1\""));
	cr_assert(holds("a (3,000,000,000,000 samples, 75.00%)"));
}

static const char hostile[] =
	"</script><script>alert(1)</script>;\"'&<b>;\x01\x1b\xff\xc0\xaf;"
	"\xef\xbf\xbf\xed\xa0\x80;]]><!--;\xe2\x80\xa8";

static void write_hostile(const struct fl_format *format)
{
	struct flame_sink *sink = begin(format);

	cr_assert_eq(flame_set(sink, "title", "</title><i>\x02\xff"),
		     FLAME_OK);
	cr_assert_eq(flame_set(sink, "subtitle", "<i>\""), FLAME_OK);
	cr_assert_eq(flame_set(sink, "notes", "--><i>]]>"), FLAME_OK);
	cr_assert_eq(flame_set(sink, "countname", "<i>"), FLAME_OK);
	put(sink, hostile, 5);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
}

Test(svg, text_from_outside_stays_text)
{
	write_hostile(&fl_format_svg_write);
	cr_assert_eq(times("<script"), 1);
	cr_assert_not(holds("<i>"));
	cr_assert_not(holds("<b>"));
	cr_assert_eq(times("]]>"), 1);
	cr_assert(holds("&lt;/script&gt;&lt;script&gt;alert(1)"));
	for (size_t i = 0; i < page.size; i++)
		cr_assert(page.data[i] == '\n' || (uint8_t)page.data[i] >= ' ');
	for (size_t i = 0; i < page.size;) {
		unsigned n = fl_utf8_length(page.data + i, page.size - i);

		cr_assert(n);
		i += n;
	}
}

Test(svg, a_function_is_drawn_once_below_its_caller)
{
	struct flame_sink *sink = begin(&fl_format_svg_write);

	put(sink, "main;foo", 10);
	put(sink, "main;foo-bar", 10);
	put(sink, "main;foo;x", 10);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_eq(times("<title>foo ("), 1);
	cr_assert(holds("<title>foo (20 samples, 66.67%)"));
	sink = begin(&fl_format_svg_write);
	cr_assert_eq(flame_set(sink, "peer", "perl"), FLAME_OK);
	put(sink, "main;foo", 10);
	put(sink, "main;foo-bar", 10);
	put(sink, "main;foo;x", 10);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_eq(times("<title>foo ("), 2);
}

Test(svg, a_chart_keeps_the_order_of_samples)
{
	struct flame_sink *sink = begin(&fl_format_svg_write);

	cr_assert_eq(flame_set(sink, "flamechart", NULL), FLAME_OK);
	put(sink, "a;c", 2);
	put(sink, "a;b", 1);
	put(sink, "a;b", 1);
	put(sink, "a;c", 3);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_eq(times("<title>a (7 "), 1);
	cr_assert_eq(times("<title>c ("), 2);
	cr_assert(holds("x=\"2\" y=\"0\" width=\"2\" height=\"1\""));
}

Test(svg, an_empty_chart_is_a_page)
{
	struct flame_sink *sink = begin(&fl_format_svg_write);

	cr_assert_eq(flame_set(sink, "flamechart", NULL), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert(holds("all (0 "));
	sink = begin(&fl_format_svg_write);
	cr_assert_eq(flame_set(sink, "peer", "inferno"), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert(holds("</svg>"));
	cr_assert_not(holds("all (0 "), "inferno draws no frame of nothing");
}

Test(svg, a_colour_cannot_leave_its_style)
{
	struct flame_sink *sink = begin(&fl_format_svg_write);

	cr_assert_eq(flame_set(sink, "uicolor", "rgb(1, 2, 3)"), FLAME_OK);
	cr_assert_eq(flame_set(sink, "bgcolors", "red}</style>"),
		     FLAME_FAILED);
	flame_abandon(sink);
}

Test(svg, an_empty_profile_is_a_page)
{
	cr_assert_eq(flame_finish(begin(&fl_format_svg_write)), FLAME_OK);
	cr_assert(holds("all (0 "));
	cr_assert_eq(flame_finish(begin(&fl_format_html_write)), FLAME_OK);
	cr_assert(holds("</html>"));
}

Test(svg, an_unknown_scheme_is_refused)
{
	struct flame_sink *sink = begin(&fl_format_svg_write);

	cr_assert_eq(flame_set(sink, "colors", "nope"), FLAME_FAILED);
	flame_abandon(sink);
}

Test(html, text_from_outside_stays_text)
{
	write_hostile(&fl_format_html_write);
	/* The data, their origin, the packed viewer, and its loader. */
	cr_assert_eq(times("</script>"), 4);
	cr_assert_eq(times("<script"), 4);
	cr_assert_not(holds("<i>"));
	cr_assert_not(holds("style=\""));
	cr_assert_not(holds("http://") &&
		      times("http") != times("http://www.w3.org/2000/svg") +
				       times("http-equiv"));
}

/* The data between its tags, unpacked. */
static size_t unpack(uint8_t *to, size_t room)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *p = strstr(page.data, "id=\"data\">");
	uint8_t *packed = malloc(page.size);
	z_stream z = { 0 };
	uint32_t hold = 0;
	size_t n = 0;
	int bits = 0;

	cr_assert(p && packed);
	for (p += 10; *p != '<' && *p != '='; p++) {
		const char *digit = strchr(digits, *p);

		cr_assert(digit);
		hold = hold << 6 | (uint32_t)(digit - digits);
		bits += 6;
		if (bits >= 8)
			packed[n++] = hold >> (bits -= 8);
	}
	cr_assert_eq(inflateInit2(&z, -15), Z_OK);
	z.next_in = packed;
	z.avail_in = n;
	z.next_out = to;
	z.avail_out = room;
	cr_assert_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	free(packed);
	return z.total_out;
}

enum { BY_WEIGHT = 32, FAMILIES = 64 };		/* flags of the data */

Test(html, the_data_is_what_data_js_reads)
{
	static uint8_t data[4096];
	const uint8_t *at;
	static const uint8_t tail[] = {
		0, 0, 0, 0, 0, 0, 0, 0,	/* captions: names as they are */
		0, 0, 0, 0, 0, 0, 0, 0,
		1, 2, 0, 0,		/* children */
		0, 0, 0, 0,		/* ranks: all new */
		0, 2, 1, 3,		/* all, main, draw, parse */
		0, 1, 0xd2, 9, 3,	/* self: 0, 1, 1234, 3 */
	};
	size_t n;

	write_small(&fl_format_html_write);
	n = unpack(data, sizeof(data));
	cr_assert_gt(n, sizeof(tail));
	cr_assert_eq(data[0], 3);
	cr_assert_eq(data[2], 4);
	cr_assert_eq(data[3], 4);
	cr_assert_eq(data[1], BY_WEIGHT | FAMILIES);
	at = memmem(data, n, tail, sizeof(tail));
	cr_assert(at);
	cr_assert(memmem(at, data + n - at, "\6native", 7), "families");
}

Test(html, captions_are_parts_of_names)
{
	static uint8_t data[4096];
	static const uint8_t captions[] = {
		0, 2, 5, 3, 1,		/* an end; 'L' before; dotted */
		0, 6, 3, 15, 8,		/* after it: "<T>::f", "()V", ... */
		0, 0, 2, 2, 4,		/* Class.method */
		0, 3, 2, 4, 2,		/* method */
		0, 3, ':', ':', 'f', 0, 4, 0xce, 0xbb, '.', 'f',
	};
	struct flame_sink *sink = begin(&fl_format_html_write);
	size_t n;

	put(sink, "a/b/C.f(I)V_[j];a/B$$Lambda$3/0x0.f;A<T>::f;La/B.f()V", 1);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	n = unpack(data, sizeof(data));
	cr_assert(memmem(data, n, captions, sizeof(captions)));
}

Test(html, a_page_that_opens_as_a_tree_says_so_in_its_flags)
{
	static uint8_t data[4096];
	struct flame_sink *sink = begin(&fl_format_html_write);

	cr_assert_eq(flame_set(sink, "tree", NULL), FLAME_OK);
	put(sink, "main", 1);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	unpack(data, sizeof(data));
	cr_assert_eq(data[1], 4 | BY_WEIGHT | FAMILIES);
	write_small(&fl_format_html_write);
	unpack(data, sizeof(data));
	cr_assert_eq(data[1], BY_WEIGHT | FAMILIES);
}

/* Comparisons ------------------------------------------------------------ */

static void write_two(const struct fl_format *format)
{
	struct flame_sink *writer = begin(format), *sink;
	struct flame_tree *tree = flame_tree_new(flame, 2);

	cr_assert(tree);
	sink = flame_tree_sink(tree, 0);
	put(sink, "main;draw", 1000);
	put(sink, "main;gone", 40);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	sink = flame_tree_sink(tree, 1);
	put(sink, "main;draw", 900);
	put(sink, "main;new", 60);
	put(sink, "main", 5);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_eq(flame_tree_write(tree, writer), FLAME_OK);
	cr_assert_eq(flame_finish(writer), FLAME_OK);
	flame_tree_free(tree);
}

Test(html, a_comparison_has_the_self_before_and_after)
{
	static uint8_t data[4096];
	static const uint8_t tail[] = {
		1, 3, 0, 0, 0,			/* children */
		0, 0, 0, 0, 0,			/* ranks: all new */
		0, 3, 1, 4, 2,			/* all, main, draw, new, ... */
		0, 0, 0xe8, 7, 0, 40,		/* before: 1000, 40 */
		0, 5, 0x84, 7, 60, 0,		/* after: 5, 900, 60 */
	};
	static const uint8_t ramp[] = {
		0x6f, 0xb6, 0xff, 0x17, 0x60, 0xa0,	/* least */
		0x87, 0xc2, 0xfe, 0x21, 0x56, 0x88,
	};
	size_t n;

	write_two(&fl_format_html_write);
	n = unpack(data, sizeof(data));
	cr_assert_eq(data[1], 2 | 16 | BY_WEIGHT | FAMILIES);
	cr_assert_eq(data[2], 5);
	cr_assert(memmem(data, n, "s=2.000&w=after&c=self&n=none",
			 29), "how it opens");
	cr_assert(memmem(data, n, tail, sizeof(tail)));
	cr_assert_eq(data[6], 0, "no title");
	cr_assert(memmem(data, n, ramp, sizeof(ramp)));
}

Test(svg, a_comparison_is_as_wide_as_after_and_tells_both)
{
	write_two(&fl_format_svg_write);
	cr_assert(holds("<title>draw (1,000 -&gt; 900 samples, -100)</title>"));
	cr_assert(holds("<title>new (0 -&gt; 60 samples, +60, new)</title>"));
	cr_assert_not(holds("<title>gone"));
	cr_assert(holds("width=\"900\" height=\"1\" fill=\"#6fb6ff\""));
	cr_assert(holds("they are gone: 1 frame;"));
	cr_assert(holds("1,040 -&gt; 965 samples (-75, -7.21%), 3 frames"));
}

/* Before, after: the sum of both is 400, and twice its root 40. */
static const char *fill_of_change(int64_t before, int64_t after)
{
	struct flame_sink *writer = begin(&fl_format_svg_write), *sink;
	struct flame_tree *tree = flame_tree_new(flame, 2);

	sink = flame_tree_sink(tree, 0);
	put(sink, "a", before);
	put(sink, "most", 1000);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	sink = flame_tree_sink(tree, 1);
	put(sink, "a", after);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_eq(flame_tree_write(tree, writer), FLAME_OK);
	cr_assert_eq(flame_finish(writer), FLAME_OK);
	flame_tree_free(tree);
	return holds("fill=\"#e9ebee\"><title>a (") ? "grey" : "painted";
}

Test(svg, what_chance_makes_of_two_counts_is_grey)
{
	cr_expect_str_eq(fill_of_change(181, 219), "grey");
	cr_expect_str_eq(fill_of_change(180, 220), "painted");
	cr_expect_str_eq(fill_of_change(220, 180), "painted");
	cr_expect_str_eq(fill_of_change(219, 181), "grey");
}

Test(svg, what_is_gone_adds_no_rows)
{
	struct flame_sink *writer = begin(&fl_format_svg_write), *sink;
	struct flame_tree *tree = flame_tree_new(flame, 2);

	sink = flame_tree_sink(tree, 0);
	put(sink, "a;b;c;d;e", 10);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	sink = flame_tree_sink(tree, 1);
	put(sink, "a", 10);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_eq(flame_tree_write(tree, writer), FLAME_OK);
	cr_assert_eq(flame_finish(writer), FLAME_OK);
	flame_tree_free(tree);
	cr_assert(holds("viewBox=\"0 0 10 2\""));
	cr_assert(holds("they are gone: 4 frames;"));
}

Test(svg, two_empty_profiles_are_a_page)
{
	struct flame_tree *tree = flame_tree_new(flame, 2);
	struct flame_sink *writer = begin(&fl_format_svg_write);

	cr_assert_eq(flame_tree_write(tree, writer), FLAME_OK);
	cr_assert_eq(flame_finish(writer), FLAME_OK);
	cr_assert(holds("0 -&gt; 0 "));
	writer = begin(&fl_format_html_write);
	cr_assert_eq(flame_tree_write(tree, writer), FLAME_OK);
	cr_assert_eq(flame_finish(writer), FLAME_OK);
	flame_tree_free(tree);
}

Test(changes, the_ramp_is_grey_only_without_a_change)
{
	cr_expect_eq(fl_ramp_step(0, 0), FL_RAMP_NONE);
	cr_expect_eq(fl_ramp_step(0, 9), FL_RAMP_NONE);
	cr_expect_eq(fl_ramp_step(1, 1e9), FL_RAMP_NONE + 1);
	cr_expect_eq(fl_ramp_step(-1, 1e9), FL_RAMP_NONE - 1);
	cr_expect_eq(fl_ramp_step(9, 9), FL_RAMP_STEPS - 1);
	cr_expect_eq(fl_ramp_step(-9, 9), 0);
}

Test(schemes, text_is_readable_on_the_ramp)
{
	for (unsigned i = 0; i < FL_RAMP_STEPS; i++) {
		cr_assert_geq(contrast(fl_ramp[i].light, 0x14181d), 7.0);
		cr_assert_geq(contrast(fl_ramp[i].dark, 0xf7f9fb), 4.5);
	}
}
