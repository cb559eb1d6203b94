/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flame graphs that become profiles again: pictures and pages of ours as
 * they are written, those of others as small texts of their layouts.
 */
#include "fl.h"

#include "format/formats.h"
#include "format/picture/picture.h"
#include "tree/tree.h"
#include "said.h"

#include <stdlib.h>

TestSuite(round_trip, .init = start, .fini = stop);
TestSuite(svg, .init = start, .fini = stop);
TestSuite(asprof, .init = start, .fini = stop);
TestSuite(own, .init = start, .fini = stop);
TestSuite(hostile, .init = start, .fini = stop);

/* The output of a text, in `to`; NULL as minwidth: unset. */
static int convert(const void *text, size_t size, const char *format,
		   const char *minwidth, struct fl_buf *to)
{
	struct flame_source *source =
		flame_open_memory(flame, text, size, "in", NULL);
	struct flame_sink *sink;

	to->size = 0;
	fl_buf_text(to, "");
	if (!source)
		return FLAME_FAILED;
	sink = fl_format_named(flame, format, true)->create(flame,
						fl_out_memory(flame, to));
	cr_assert(sink);
	if (minwidth)
		cr_assert_eq(flame_set(sink, "minwidth", minwidth), FLAME_OK);
	if (flame_pump(source, sink) != FLAME_OK) {
		flame_close(source);
		flame_abandon(sink);
		return FLAME_FAILED;
	}
	flame_close(source);
	return flame_finish(sink);
}

static const char *fold(const char *text)
{
	cr_assert_eq(convert(text, strlen(text), "folded", NULL, &out),
		     FLAME_OK, "%s", flame_error(flame));
	return out.data;
}

#define FOLDS(text, expected)						\
	cr_expect_str_eq(fold(text), expected, "is\n%s", out.data)

static const char *refusal(const char *text)
{
	flame_clear(flame);
	cr_expect_eq(convert(text, strlen(text), "folded", NULL, &out),
		     FLAME_FAILED);
	return flame_error(flame);
}

#define REFUSES(text, why)						\
	cr_expect(strstr(refusal(text), why), "%s", flame_error(flame))

#define SAYS(why) cr_expect(strstr(said.data, why), "%s", said.data)
#define SAYS_NOTHING() cr_expect_str_eq(said.data, "")

/* Ours ---------------------------------------------------------------------- */

static const char all_types[] =
	" 5\n"
	"a 1\n"
	"a;b 2\n"
	"a;b;c_[j] 4\n"
	"a;b;d_[i];e_[k] 8\n"
	"a;b_[k] 16\n"
	"a;x_[0] 32\n"
	"a;x_[0];y_[1] 64\n"
	"all;all 128\n"
	"n (1 samples, 2%) 256\n"
	"odd <&>\"' \xc3\xa4 name 512\n";

static void goes_through(const char *format, const char *folded)
{
	struct fl_buf page = { 0 };

	cr_assert_eq(convert(folded, strlen(folded), format, "0.000001",
			     &page), FLAME_OK);
	cr_assert_eq(convert(page.data, page.size, "folded", NULL, &out),
		     FLAME_OK, "%s", flame_error(flame));
	cr_expect_str_eq(out.data, folded, "%s: is\n%s", format, out.data);
	fl_buf_free(&page);
}

Test(round_trip, html_and_svg_lose_nothing)
{
	goes_through("html", all_types);
	goes_through("svg", all_types);
	SAYS_NOTHING();
}

Test(round_trip, weights_beyond_2_to_the_53)
{
	static const char folded[] = "a;b 9007199254740993\n"
		"a;c 1\na;c;d 9000000000000000001\n";

	goes_through("html", folded);
	goes_through("svg", folded);
}

Test(round_trip, html_keeps_bytes)
{
	goes_through("html", "a\xfe;b\xff\xc3 1\n");
}

Test(round_trip, many_stacks)
{
	struct fl_buf text = { 0 };

	for (unsigned i = 10; i < 90; i++)
		for (unsigned k = 10; k < 60; k++)
			fl_buf_print(&text, "r;f%u;g%u;f%u %u\n", i, k,
				     i * k % 7, i * k * 1000003);
	goes_through("html", text.data);
	goes_through("svg", text.data);
	fl_buf_free(&text);
}

Test(round_trip, no_samples)
{
	struct fl_buf page = { 0 };
	struct flame_sink *sink;

	for (unsigned i = 0; i < 2; i++) {
		sink = fl_format_named(flame, i ? "svg" : "html", true)->
			create(flame, fl_out_memory(flame, &page));
		page.size = 0;
		cr_assert_eq(flame_finish(sink), FLAME_OK);
		FOLDS(page.data, "");
	}
	fl_buf_free(&page);
}

Test(round_trip, what_svg_cuts_is_told)
{
	static const char folded[] = "a;b 99999\na;c 1\n";
	struct fl_buf page = { 0 };

	cr_assert_eq(convert(folded, strlen(folded), "svg", "1", &page),
		     FLAME_OK);
	FOLDS(page.data, "a 1\na;b 99999\n");
	SAYS("in: a picture: what was too narrow to be drawn counts as self "
	     "of what it lay on");
	fl_buf_free(&page);
}

Test(own, two_profiles_give_the_second)
{
	struct flame_tree *tree = flame_tree_new(flame, 2);
	static const char *const folded[] = { "a;b 1\na;c 2\n",
					      "a;b 3\na;d 4\n" };
	struct fl_buf page = { 0 };

	for (unsigned c = 0; c < 2; c++) {
		struct flame_source *source = flame_open_memory(flame,
			folded[c], strlen(folded[c]), "in", NULL);
		struct flame_sink *sink = flame_tree_sink(tree, c);

		cr_assert_eq(flame_pump(source, sink), FLAME_OK);
		flame_close(source);
		cr_assert_eq(flame_finish(sink), FLAME_OK);
	}
	for (unsigned i = 0; i < 2; i++) {
		struct flame_sink *sink = fl_format_named(flame,
			i ? "svg" : "html", true)->create(flame,
						fl_out_memory(flame, &page));

		page.size = 0;
		cr_assert_eq(flame_tree_write(tree, sink), FLAME_OK);
		cr_assert_eq(flame_finish(sink), FLAME_OK);
		FOLDS(page.data, "a;b 3\na;d 4\n");
		SAYS("in: two profiles are compared in it; the second is read");
	}
	flame_tree_free(tree);
	fl_buf_free(&page);
}

Test(own, metric_and_unit_come_back)
{
	static const char frames[] = "<svg id=\"frames\"";
	const char *drawn, *drawn_again;
	struct fl_buf page = { 0 }, again = { 0 };
	struct flame_sample s = { .weight = 3, .time = FLAME_NOTIME };
	struct flame_sink *sink = fl_format_svg_write.create(flame,
						fl_out_memory(flame, &page));

	s.metric = flame_metric(flame, "al<&loc", "bytes & more");
	s.stack = flame_stack(flame, 0, fl_frame(flame, fl_name(flame, "a"),
						 FLAME_GROUP));
	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	flame_free(flame);
	flame = flame_new();
	cr_assert_eq(convert(page.data, page.size, "html", NULL, &again),
		     FLAME_OK, "%s", flame_error(flame));
	cr_assert_eq(convert(again.data, again.size, "svg", NULL, &out),
		     FLAME_OK);
	/* The heading and the metadata name the input, where there is one. */
	drawn = strstr(page.data, frames);
	drawn_again = strstr(out.data, frames);
	cr_assert(drawn && drawn_again);
	cr_expect_str_eq(drawn_again, drawn);
	cr_expect(strstr(out.data, "<title>in, al&lt;&amp;loc</title>"));
	fl_buf_free(&page);
	fl_buf_free(&again);
}

/* Version 1 had no captions. */
Test(own, pages_of_older_tools)
{
	FOLDS("<!DOCTYPE html>\n<html>\n<script type=\"text/plain\" "
	      "id=\"data\">ASQB2/4BAAQEJwAAAAAHc2FtcGxlcwAAb7b/F2Cgh8L+IVaI"
	      "nc3/Jkxytdf8KUJczeL4KzhH6evuLDA299fPRTEs+ca4WTYt+7SibTks+6KL"
	      "gTwr+490lj8p8Kq/bDJGwOmyQ2Y1sL34O0N1/tC0gEwqfNPNAFNQ+sf4dElz"
	      "ycWDT0oAu+D+KWCG86uqbjM0q+zFKmlIxLbzSz1w/tKceFIce9DfAVFc/snj"
	      "fUZktMuOPU8VyNz/QVqL8a+XbTYinO7aBmpa1rHnWThn7tqaa1kYhszuAk9q"
	      "/8vTg0VSn9CfJlMp1df/VFSJ0NLUMDQ59Z6ndRou6JKbaQwlrO2oLF4zAANh"
	      "bGwJIwEAACQAAWIAJQADzrtjAiYBAgAAAAAAAAABAgMAAAEC</script>\n",
	      "a;b 1\na;\xce\xbb" "c_[j] 2\n");
}

/* Others' pictures ------------------------------------------------------------ */

#define HEAD "<?xml version=\"1.0\" standalone=\"no\"?>\n"		\
	"<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" "		\
	"\"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n"	\
	"<svg version=\"1.1\" width=\"120\" "				\
	"xmlns=\"http://www.w3.org/2000/svg\" "				\
	"xmlns:fg=\"http://github.com/jonhoo/inferno\" "		\
	"xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n"		\
	"<rect x=\"0.0\" y=\"0\" width=\"120.0\" height=\"99.0\"/>\n"	\
	"<script><![CDATA[ if (1 < 2) \"<rect/>\"; ]]></script>\n"
#define TAIL "</svg>\n"

/* A frame of flamegraph.pl's of today. */
#define G(title, x, y, width)						\
	"<g >\n<title>" title "</title><rect x=\"" x "\" y=\"" y	\
	"\" width=\"" width "\" height=\"15.0\" rx=\"2\" />\n"		\
	"<text x=\"1\" y=\"2\">na..</text>\n</g>\n"

static const char tree_of_five[] =
	"main 1\nmain;a 2\nmain;a;c 3\nmain;b 4\n";

Test(svg, rects_with_what_the_mouse_shows)
{
#define R(title, x, y, width)						\
	"<rect x=\"" x "\" y=\"" y "\" width=\"" width			\
	"\" onmouseover=\"s('" title "')\" onmouseout=\"c()\" />\n"
	FOLDS(HEAD R("c (3 samples, 30.00%)", "10.0", "17", "30.0")
	      R("all samples (10 samples, 100%)", "10.0", "65", "100.0")
	      R("b (4 samples, 40.00%)", "60.0", "33", "40.0")
	      R("main (10 samples, 100.00%)", "10.0", "49", "100.0")
	      R("a (5 samples, 50.00%)", "10.0", "33", "50.0") TAIL,
	      tree_of_five);
	FOLDS(HEAD R("it\\'s &amp; &lt;b&gt; (3 samples, 30.00%)", "10.0",
		     "17", "30.0") TAIL, "it's & <b> 3\n");
}

Test(svg, groups_in_any_order)
{
	FOLDS(HEAD G("b (4 samples, 40.00%)", "60.0", "33", "40.0")
	      G("a (5 samples, 50.00%)", "10.0", "33", "50.0")
	      G("c (3 samples, 30.00%)", "10.0", "17", "30.0")
	      G("all (10 samples, 100%)", "10.0", "65", "100.0")
	      G("main (10 samples, 100.00%)", "10.0", "49", "100.0") TAIL,
	      tree_of_five);
	SAYS("how frames ran is not in it");
}

Test(svg, root_on_top)
{
	FOLDS(HEAD G("b (4 samples, 40.00%)", "60.0", "49", "40.0")
	      G("a (5 samples, 50.00%)", "10.0", "49", "50.0")
	      G("c (3 samples, 30.00%)", "10.0", "65", "30.0")
	      G("all (10 samples, 100%)", "10.0", "17", "100.0")
	      G("main (10 samples, 100.00%)", "10.0", "33", "100.0") TAIL,
	      tree_of_five);
	/* As wide as its root at both ends. */
	FOLDS(HEAD G("f (7 samples, 100.00%)", "10.0", "49", "100.0")
	      G("all (7 samples, 100%)", "10.0", "17", "100.0")
	      G("e (7 samples, 100.00%)", "10.0", "33", "100.0") TAIL,
	      "e;f 7\n");
}

Test(svg, rounded_widths_that_pass_the_root)
{
	FOLDS(HEAD G("all (3 samples, 100%)", "10.0", "33", "10.0")
	      G("b (1 samples, 33%)", "13.4", "17", "3.4")
	      G("a (1 samples, 33%)", "10.0", "17", "3.4")
	      G("c (1 samples, 33%)", "16.7", "17", "3.4") TAIL,
	      "a 1\nb 1\nc 1\n");
}

Test(svg, frames_with_a_link)
{
	FOLDS(HEAD "<a xlink:href=\"x\" target=\"_top\">\n<title>a (2 ms, "
	      "100.00%)</title><rect x=\"10.0\" y=\"33\" width=\"9.0\"/></a>"
	      TAIL, "a 2\n");
	cr_expect_str_eq(flame_metric_of(flame, 1)->name, "ms");
}

Test(svg, places_in_samples)
{
#define I(title, x, y, w)						\
	"<g><title>" title "</title><rect x=\"0.0000%\" y=\"" y		\
	"\" width=\"0.0001%\" fg:x=\"" x "\" fg:w=\"" w "\"/>"		\
	"<text x=\"1%\" y=\"1\">n</text></g>"
	FOLDS(HEAD "<svg id=\"frames\" x=\"10\" total_samples=\"1000000\">"
	      I("c (3 samples, 0.00%)", "1", "17", "3")
	      I("d (1 samples, 0.00%)", "0", "33", "1")
	      I("b (4 samples, 0.00%)", "1", "33", "4")
	      I("all (1,000,000 samples, 100%)", "0", "49", "1000000")
	      "</svg>" TAIL, " 999995\nb 1\nb;c 3\nd 1\n");
}

Test(svg, two_profiles_give_the_second)
{
	FOLDS(HEAD G("all (9 samples, 100%)", "10.0", "65", "90.0")
	      G("a (9 samples, 100.00%; +12.00%)", "10.0", "49", "90.0") TAIL,
	      "a 9\n");
}

Test(svg, titles_that_others_chose)
{
	FOLDS(HEAD G("all (9 test-samples &lt;&amp; &apos; &quot;, 100%)",
		     "10.0", "65", "90.0")
	      G("what (ever) is said", "10.0", "49", "40.0")
	      G("f(int, (5 x, y)) (5 test-samples &lt;&amp; &apos; &quot;, "
		"55.56%)", "50.0", "49", "50.0") TAIL,
	      "f(int, (5 x, y)) 5\nwhat (ever) is said 4\n");
}

Test(svg, rounded_counts_keep_the_sum)
{
	/* Each of three is 1.5 and was written as 2. */
	FOLDS(HEAD G("all (5 ms, 100%)", "10.0", "65", "90.0")
	      G("a (2 ms, 33%)", "10.0", "49", "30.0")
	      G("b (2 ms, 33%)", "40.0", "49", "30.0")
	      G("c (2 ms, 33%)", "70.0", "49", "30.0") TAIL,
	      "a 1\nb 2\nc 2\n");
}

Test(svg, too_narrow_to_tell_counts_below)
{
	FOLDS(HEAD G("x (1 samples, 0.01%)", "50.0", "33", "0.0")
	      G("all (10,000 samples, 100%)", "10.0", "65", "100.0")
	      G("b (6,000 samples, 60.00%)", "50.0", "49", "60.0")
	      G("a (4,000 samples, 40.00%)", "10.0", "49", "40.0") TAIL,
	      "a 4000\nb 6000\n");
	SAYS("in: 1 frames are too narrow to see on which others they lie");
}

Test(svg, what_cannot_be_is_refused)
{
	REFUSES(HEAD G("x (5,000 samples, 1%)", "10.0", "33", "10.0")
		G("y (5,000 samples, 1%)", "20.0", "33", "10.0")
		G("all (10,000 samples, 100%)", "10.0", "65", "100.0")
		G("a (4,000 samples, 40.00%)", "10.0", "49", "40.0") TAIL,
		"in: 1 frames weigh less than what lies on them");
}

Test(svg, no_flame_graph)
{
	REFUSES(HEAD TAIL, "in: a picture, but no flame graph");
	REFUSES(HEAD G("a title", "1", "2", "3") TAIL,
		"in: a picture, but no flame graph");
	REFUSES("<svg", "in: not a profile of a known format");
	REFUSES("<svg x='", "in: no XML");
}

Test(svg, flame_charts)
{
	/* One name twice, side by side in time; both are its stack. */
	FOLDS(HEAD G("a (1 us, 25.00%)", "10.0", "49", "10.0")
	      G("a (2 us, 50.00%)", "30.0", "49", "20.0")
	      G("all (4 us, 100%)", "10.0", "65", "40.0") TAIL, " 1\na 3\n");
	cr_expect_not(strstr(said.data, "gaps"));
}

Test(svg, gaps_are_told)
{
	FOLDS(HEAD G("a (1 us, 10.00%)", "10.0", "49", "10.0")
	      G("b (2 us, 20.00%)", "50.0", "49", "20.0")
	      G("all (10 us, 100%)", "10.0", "65", "100.0") TAIL,
	      " 7\na 1\nb 2\n");
	SAYS("(gaps: 30.00% of all)");
}

Test(svg, bytes_that_are_no_xml)
{
	FOLDS(HEAD G("a\x01" "b\xff (2 samples, 100.00%)", "10.0", "33", "9")
	      TAIL, "a\xef\xbf\xbd" "b\xef\xbf\xbd 2\n");
	FOLDS("<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><svg>"
	      G("\xe4 (2 samples, 100.00%)", "10.0", "33", "9") TAIL,
	      "\xc3\xa4 2\n");
}

Test(svg, cut_short)
{
	FOLDS(HEAD G("all (9 samples, 100%)", "10.0", "65", "90.0")
	      G("a (3 samples, 30.00%)", "10.0", "49", "30.0") "<g ><tit",
	      " 6\na 3\n");
	SAYS("in: line 14: no XML from here on: ");
	SAYS("frames that are missing count as self of those they lay on");
}

Test(svg, annotations_are_types)
{
	FOLDS(HEAD G("a_[1] (9 samples, 100.00%)", "10.0", "49", "90.0") TAIL,
	      "a_[1] 9\n");
}

/* async-profiler ---------------------------------------------------------------- */

#define OLD "<!DOCTYPE html>\n<html>\n<script>\n\tconst palette = [\n"	\
	"\t\t[0x50e150, 30, 30, 30],\n\t\t[0x50bebe, 30, 30, 30],\n"	\
	"\t\t[0xe17d00, 30, 30,  0],\n\t\t[0xc8c83c, 30, 30, 10],\n"	\
	"\t\t[0xe15a5a, 30, 40, 40],\n\t];\n"

Test(asprof, version_2)
{
	FOLDS(OLD "f(0,0,10,4,'all')\nf(1,0,6,0,'java/Run.it\\'s')\n"
	      "f(2,0,2,2,'kernel')\nf(2,2,3,1,'in\\\\')\n"
	      "f(1,6,4,4,'native',0,0,1)\n\nsearch();\n",
	      "java/Run.it's_[j] 1\njava/Run.it's_[j];in\\_[i] 3\n"
	      "java/Run.it's_[j];kernel_[k] 2\nnative 4\n");
	SAYS_NOTHING();
}

#define NEW "<!DOCTYPE html>\n<html lang='en'>\n<h1>Allocation profile</h1>\n"	\
	"<script>\n\tconst units = 'bytes';\n"				\
	"const cpool = [\n'all',\n' java/lang/Thread.run',\n"		\
	"'*sl\\'eep',\n' b\xc3\xa4 \xf0\x9f\x94\xa5r',\n'%x'\n];\n"	\
	"unpack(cpool);\n\n"

Test(asprof, version_3)
{
	FOLDS(NEW "n(3,20)\nu(9,15)\nu(18,10,4,0,0)\nn(16,3)\nf(29,2,13,1)\n"
	      "f(37,1,15,5)\nd=U\nu(8)\n\nsearch();\n",
	      "b\xc3\xa4 \xf0\x9f\x94\xa5x_[k];java/lang/Thread.run_[0] 5\n"
	      "java/lang/Thread.run_[j] 1\n"
	      "java/lang/Thread.run_[j];b\xc3\xa4 \xf0\x9f\x94\xa5r_[k] 1\n"
	      "java/lang/Thread.run_[j];java/lang/sl'eep_[0] 3\n"
	      "java/lang/Thread.run_[j];java/lang/sl'eep_[i] 10\n");
	SAYS("two profiles are compared in it");
	cr_expect_str_eq(flame_metric_of(flame, 1)->name, "alloc");
	cr_expect_str_eq(flame_metric_of(flame, 1)->unit, "bytes");
}

Test(asprof, cut_short)
{
	FOLDS(NEW "n(3,20)\nu(9,15)\nu(1", " 5\njava/lang/Thread.run_[j] 15\n");
	SAYS("in: 1 lines not understood, the first is line 17: u(1");
	SAYS("in: cut short after line 17");
}

Test(asprof, lines_that_cannot_be)
{
	FOLDS(NEW "n(3,20)\nf(9,5,0,1)\nu(800,1)\nf(3,0,0,9)\nu(9,1,2,3,4,5,6,7)"
	      "\nu(9,99999999999999999999)\nu(9,7)\n\n",
	      " 13\njava/lang/Thread.run_[j] 7\n");
	SAYS("in: 5 lines not understood, the first is line 16: f(9,5,0,1)");
	REFUSES(NEW "n(3,20)\nu(9,21)\n\n", "in: 1 frames weigh less");
}

Test(asprof, other_pages)
{
	REFUSES("<!DOCTYPE html>\n<html><body>hello</body></html>\n",
		"in: a page, but none of those that are read: flame graphs of");
	REFUSES(NEW "search();\n", "in: async-profiler's page, but without "
		"frames");
}

/* Hostile ------------------------------------------------------------------------- */

Test(hostile, entities_do_not_grow)
{
	refusal("<!DOCTYPE svg [<!ENTITY a \"aaaaaaaaaa\">"
		"<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
		"<!ENTITY c SYSTEM \"file:///etc/passwd\">]>\n"
		"<svg><g><title>&b;&c; (1 samples, 1%)</title>"
		"<rect x=\"1\" y=\"1\" width=\"1\"/></g></svg>");
	cr_expect(*flame_error(flame));
}

Test(hostile, deep_elements)
{
	struct fl_buf text = { 0 };

	fl_buf_text(&text, "<svg>");
	for (unsigned i = 0; i < 100000; i++)
		fl_buf_text(&text, "<g>");
	fl_buf_text(&text, G("a (1 samples, 1%)", "1", "1", "1"));
	FOLDS(text.data, "a 1\n");
	fl_buf_free(&text);
}

Test(hostile, places_that_are_none)
{
	FOLDS(HEAD G("a (1 samples, 1%)", "-1", "1", "1")
	      G("b (1 samples, 1%)", "1", "nan", "1")
	      G("c (1 samples, 1%)", "1", "1", "1e9")
	      G("d (1 samples, 1%)", "1", "1", "inf")
	      G("e (1 samples, 1%)", "1", "1", "1") TAIL, "e 1\n");
	SAYS("in: 4 frames without a place are left out");
}

Test(hostile, weights_that_are_too_many)
{
	REFUSES(HEAD G("all (1 samples, 1%)", "1", "33", "9")
		G("a (9,223,372,036,854,775,807 samples, 1%)", "1", "17", "4")
		G("b (9,223,372,036,854,775,807 samples, 1%)", "5", "17", "4")
		TAIL, "weigh less");
	REFUSES(NEW "n(3,20)\nu(9,9223372036854775807)\n"
		"n(16,9223372036854775807)\nn(9,3)\n\n", "weigh");
}

Test(hostile, titles_are_read_from_the_end)
{
	struct fl_buf text = { 0 };

	fl_buf_text(&text, "<svg><g><title>");
	for (unsigned i = 0; i < 300000; i++)
		fl_buf_text(&text, " (1");
	fl_buf_text(&text, " (7 samples, 1%)</title><rect x=\"1\" y=\"1\" "
		    "width=\"1\"/></g></svg>");
	cr_expect_eq(convert(text.data, text.size, "folded", NULL, &out),
		     FLAME_OK);
	cr_expect_eq(out.size, 900000 + 3);
	fl_buf_free(&text);
}

Test(hostile, our_page_cut_anywhere)
{
	struct fl_buf page = { 0 };
	const char *data;
	size_t from;

	cr_assert_eq(convert(all_types, strlen(all_types), "html", NULL,
			     &page), FLAME_OK);
	data = strstr(page.data, "id=\"data\">");
	cr_assert(data);
	from = data - page.data + 10;
	for (size_t n = from; page.data[n] != '<'; n++) {
		/* The last digits may hold nothing. */
		if (page.data[n + 1] == '<' || page.data[n + 2] == '<' ||
		    page.data[n + 1] == '=' || page.data[n + 2] == '=')
			continue;
		cr_expect_eq(convert(page.data, n, "folded", NULL, &out),
			     FLAME_FAILED, "%zu", n - from);
		flame_clear(flame);
	}
	fl_buf_free(&page);
}

Test(hostile, our_page_with_any_byte_changed)
{
	struct fl_buf page = { 0 };
	char *at;

	cr_assert_eq(convert(all_types, strlen(all_types), "html", NULL,
			     &page), FLAME_OK);
	at = strstr(page.data, "id=\"data\">");
	cr_assert(at);
	for (at += 10; *at != '<'; at++) {
		char was = *at;

		for (int k = 0; k < 4; k++) {
			*at = "A/g0"[k];
			convert(page.data, page.size, "folded", NULL, &out);
			flame_clear(flame);
		}
		*at = was;
	}
	cr_expect_eq(convert(page.data, page.size, "folded", NULL, &out),
		     FLAME_OK);
	fl_buf_free(&page);
}
