/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that people pass and that cannot be read: one row each, with the name
 * and what to do instead.  formats.c finds the row of an input by
 * fl_unreadable_find() and fails with the advice, in which a '@' is replaced by
 * the path.
 */
#include "fl.h"

#include "format/unreadable.h"

enum kind {
	MAGIC,	/* these bytes at the offset */
	TEXT,	/* the text begins so, after blanks and a byte order mark */
	JSON,	/* an object or an array with these words near its beginning */
	LINE,	/* a line begins so */
	LOG	/* text whose lines the check knows; it has no text */
};

struct row {
	const char *name;
	const char *advice;
	const char *text;
	unsigned size;
	unsigned offset;
	enum kind kind;
	bool (*check)(const uint8_t *head, size_t n);	/* of more; or NULL */
};

#define BYTES(s) (s), sizeof(s) - 1

static const char use_report[] =
	"print its stacks instead: perf script | flame-fold, or "
	"perf report --stdio -g folded,0,caller,count --no-children | "
	"flame-fold";
static const char use_record[] =
	"record again with perf: perf record -g, then perf script | "
	"flame-fold";
static const char use_raw[] =
	"have the profiler write folded stacks instead (py-spy record -f raw, "
	"asprof -o collapsed, rbspy record -f collapsed)";
static const char use_table[] =
	"export its rows as text, a line a stack: frame;frame;frame COUNT";
static const char use_heap[] =
	"it has objects, not stacks over time; record allocations instead: "
	"jcmd PID JFR.start settings=profile filename=alloc.jfr";
static const char use_page[] =
	"give the SVG or HTML page that it shows, or the profile";
static const char use_url[] =
	"give the webhdfs:// URL of the file here, or fetch it again with "
	"curl -f -L and read what that says";
static const char use_core[] =
	"print its stacks: gdb -batch -ex 'thread apply all bt' PROGRAM @ | "
	"flame-fold";

static const char use_ghc[] =
	"have the program write a .prof file: PROGRAM +RTS -p";
static const char use_folded[] =
	"give the profile that it was made of, or write that with -f folded";
static const char use_itself[] = "give the profile itself, the .pb.gz file";
static const char use_recording[] =
	"give the recording itself, the .jfr file";
static const char use_pyspy[] =
	"it has no stacks; record them: py-spy record -f raw -o out.folded "
	"-- python3 PROGRAM";
static const char use_xdebug[] =
	"record it in the format for tools: php -d xdebug.trace_format=1";

static bool is_core(const uint8_t *head, size_t n)
{
	return n >= 18 && head[head[5] == 2 ? 17 : 16] == 4;
}

/* A class file has the same magic: its major version is 45 or above. */
static bool is_class(const uint8_t *head, size_t n)
{
	return n >= 8 && head[6] == 0 && head[7] >= 45;
}

static bool is_xdebug(const uint8_t *head, size_t n)
{
	return memmem(head, n, "xdebug-trace", 12) != NULL;
}

/* "self   %  total ...", "self before  after ...": flame-top, flame-diff. */
static bool is_own_heading(struct slice line)
{
	static const char *const words[2][3] = {
		{ "self", "%", "total" }, { "self", "before", "after" }
	};

	for (unsigned i = 0; i < FL_COUNT(words); i++) {
		struct slice rest = line;
		unsigned n = 0;

		while (n < 3 && fl_slice_starts(rest, words[i][n])) {
			size_t size = strlen(words[i][n++]);

			rest.data += size;
			rest.size -= size;
			while (rest.size && *rest.data == ' ') {
				rest.data++;
				rest.size--;
			}
		}
		if (n == 3)
			return true;
	}
	return false;
}

/* The heading is the first line, or the second, after the total. */
static bool is_own_table(const uint8_t *head, size_t n)
{
	const uint8_t *lf = memchr(head, '\n', n);
	struct slice first = { (const char *)head, n }, second = { NULL, 0 };

	if (lf)
		second = (struct slice){ (const char *)lf + 1,
					 (size_t)(head + n - lf) - 1 };
	return is_own_heading(first) || is_own_heading(second);
}

/* Its nodes are N1, N2, ..., and a box says what the profile is of. */
static bool is_pprof_dot(const uint8_t *head, size_t n)
{
	return memmem(head, n, "subgraph cluster_L", 18) &&
	       memmem(head, n, "node [style=filled", 18);
}

static bool is_jfr_xml(const uint8_t *head, size_t n)
{
	return memmem(head, n, "<event type=\"", 13) &&
	       memmem(head, n, " name=\"startTime\"", 17);
}

/* "jdk.ExecutionSample {" and "  startTime = 10:01:53.229 (2026-02-14)". */
static bool is_jfr_text(const uint8_t *head, size_t n)
{
	struct slice rest = { (const char *)head, n }, line;

	do {
		line = fl_slice_trim_end(fl_slice_split(&rest, '\n'));
	} while (!line.size && rest.size);
	if (!fl_slice_ends(line, " {") ||
	    memchr(line.data, ' ', line.size) != line.data + line.size - 2 ||
	    !fl_slice_starts(rest, "  startTime = "))
		return false;
	return rest.size > 14 && fl_is_digit(rest.data[14]);
}

/* A dictionary whose keys are (file, line, name). */
static bool is_pstats(const uint8_t *head, size_t n)
{
	return n > 3 && (head[1] == ')' || head[1] == (')' | 0x80)) &&
	       head[2] == 3;
}

/* "[10/Oct/2026:13:55:36 -0700]" */
static bool has_clf_time(struct slice line)
{
	static const char like[] = "[00/Aaa/0000:00:00:00 ";
	const char *at = fl_slice_find(line, "[");

	if (!at || line.size - (size_t)(at - line.data) < sizeof(like) - 1)
		return false;
	for (size_t i = 0; i < sizeof(like) - 1; i++)
		if (like[i] == '0' ? !fl_is_digit(at[i]) :
		    like[i] != 'A' && like[i] != 'a' && at[i] != like[i])
			return false;
	return true;
}

/* The access logs of web servers end lines in a number, as stacks do. */
static bool is_access_log(const uint8_t *head, size_t n)
{
	struct slice rest = { (const char *)head, n };
	unsigned lines = 0, such = 0;

	while (rest.size && lines < 20) {
		struct slice line = fl_slice_split(&rest, '\n');

		lines++;
		such += has_clf_time(line) && fl_slice_has(line, " HTTP/");
	}
	return such && such * 2 >= lines;
}

/* "a;b 12ms": folded stacks but for the unit. */
static bool has_units(const uint8_t *head, size_t n)
{
	struct slice rest = { (const char *)head, n };
	unsigned lines = 0, such = 0;

	while (rest.size && lines < 20) {
		struct slice line = fl_slice_split(&rest, '\n');

		lines++;
		such += memchr(line.data, ';', line.size) &&
			fl_ends_in_unit(fl_slice_trim_end(line));
	}
	return such && such * 2 >= lines;
}

static const struct row rows[] = {
	{ "the text of perf report", use_report,
	  BYTES("# To display the perf.data header"), 0, LINE, NULL },
	{ "the text of perf report", use_report, BYTES("# Overhead "), 0,
	  LINE, NULL },
	{ "the text of perf report", use_report, BYTES("# Children "), 0,
	  LINE, NULL },
	{ "the text of perf annotate",
	  "print the stacks: perf script | flame-fold",
	  BYTES(" Percent |"), 0, LINE, NULL },
	{ "the text of perf stat", use_record,
	  BYTES(" Performance counter stats for"), 0, LINE, NULL },
	{ "a trace of trace-cmd", use_record, BYTES("\x17\x08\x44tracing"), 0,
	  MAGIC, NULL },
	{ "a trace of LTTng (CTF)", use_record, BYTES("\xc1\x1f\xfc\xc1"), 0,
	  MAGIC, NULL },
	{ "a profile of gprof (gmon.out)", use_record, BYTES("gmon"), 0, MAGIC,
	  NULL },

	{ "a nettrace file of .NET",
	  "on Linux, record with perf (export DOTNET_PerfMapEnabled=1): "
	  "perf script | flame-fold", BYTES("Nettrace"), 0, MAGIC, NULL },
	{ "a recording of memray", "print its table: memray transform csv @",
	  BYTES("memray\0"), 0, MAGIC, NULL },
	{ "a profile of cProfile (pstats)", use_pyspy, BYTES("{"), 0, MAGIC,
	  is_pstats },
	{ "a profile of cProfile (pstats)", use_pyspy, BYTES("\xfb"), 0,
	  MAGIC, is_pstats },
	{ "a dump of stackprof (Ruby's Marshal)",
	  "convert it: stackprof --stackcollapse @ | flame-fold",
	  BYTES("\x04\x08{"), 0, MAGIC, NULL },
	{ "a recording of rbspy",
	  "convert it: rbspy report -f collapsed -i @ -o out.folded",
	  BYTES("rbspy"), 0, MAGIC, NULL },

	{ "a heap dump of a JVM (HPROF)", use_heap,
	  BYTES("JAVA PROFILE 1.0."), 0, MAGIC, NULL },
	{ "a heap dump of OpenJ9", use_heap, BYTES("portable heap dump"), 2,
	  MAGIC, NULL },
	{ "a javacore of OpenJ9",
	  "print the threads: jcmd PID Thread.print | flame-fold",
	  BYTES("0SECTION "), 0, LINE, NULL },
	{ "a Java class file",
	  "give a recording of the program: jcmd PID JFR.start "
	  "settings=profile filename=cpu.jfr", BYTES("\xca\xfe\xba\xbe"), 0,
	  MAGIC, is_class },
	{ "an event log of Spark",
	  "it has no stacks; name it by --spark-events beside the executors' "
	  "recordings, or flame-batch --spark-events @ -o SITE shows it alone",
	  BYTES("{\"Event\":\"SparkListener"), 0, TEXT, NULL },

	{ "an execution trace of Go", "show it: go tool trace @",
	  BYTES("go 1."), 0, MAGIC, NULL },
	{ "a trace of Fuchsia (FXT)", use_record,
	  BYTES("\x10\x00\x04\x46\x78\x54\x16\x00"), 0, MAGIC, NULL },
	{ "an error of WebHDFS in place of a file", use_url,
	  BYTES("\"RemoteException\""), 0, JSON, NULL },
	{ "jfr print's JSON", use_recording, BYTES("\"jdk."), 0, JSON, NULL },
	{ "jfr print's XML", use_recording, BYTES("<?xml "), 0, TEXT,
	  is_jfr_xml },
	{ "jfr print's text", use_recording, BYTES(""), 0, TEXT, is_jfr_text },
	{ "a log of V8, preprocessed", "give the log itself, isolate-*-v8.log",
	  BYTES("\"SHARED_LIB\""), 0, JSON, NULL },
	{ "a saved session of pyinstrument",
	  "convert it: pyinstrument --load @ -r speedscope -o out.json",
	  BYTES("\"start_call_stack\""), 0, JSON, NULL },
	{ "a GHC profile in JSON", use_ghc, BYTES("\"cost_centres\""), 0,
	  JSON, NULL },
	{ "a profile of React's DevTools",
	  "it has times of components, not stacks; record with the browser's "
	  "panel Performance and give that", BYTES("\"dataForRoots\""), 0,
	  JSON, NULL },
	{ "a heap snapshot of V8",
	  "it has objects, not stacks; record allocations instead: node "
	  "--heap-prof", BYTES("\"node_fields\""), 0, JSON, NULL },
	{ "JSON of no known profile", use_raw, BYTES("\""), 0, JSON, NULL },

	{ "a heap profile of GHC", use_ghc, BYTES("JOB \""), 0, TEXT, NULL },
	{ "a trace of Xdebug for reading", use_xdebug,
	  BYTES("TRACE START ["), 0, TEXT, NULL },
	{ "a trace of Xdebug as HTML", use_xdebug, BYTES("<table"), 0, TEXT,
	  is_xdebug },
	{ "a report of ruby-prof",
	  "have it write calls: RubyProf::CallTreePrinter",
	  BYTES("Measure Mode: "), 0, TEXT, NULL },
	{ "the text of go tool pprof", use_itself, BYTES("PeriodType: "), 0,
	  LINE, NULL },
	{ "the text of go tool pprof", use_itself,
	  BYTES("Showing nodes accounting for "), 0, LINE, NULL },
	{ "the text of go tool pprof", use_itself, BYTES("-----------+-----"),
	  0, LINE, NULL },
	{ "the graph of go tool pprof -dot", use_itself,
	  BYTES("digraph \""), 0, TEXT, is_pprof_dot },
	{ "libflame's own table", use_folded, "", 0, 0, LOG, is_own_table },
	{ "libflame's own tree as text", use_folded,
	  BYTES("  total    self       weight "), 0, LINE, NULL },
	{ "the text of ms_print", "give the file of massif itself",
	  BYTES("Massif arguments: "), 0, LINE, NULL },
	{ "the text of callgrind_annotate", "give the file of callgrind itself",
	  BYTES("Profile data file "), 0, LINE, NULL },
	{ "the text of heaptrack_print", "give the file of heaptrack itself",
	  BYTES("reading file \""), 0, TEXT, NULL },
	{ "a table of cProfile", use_pyspy, BYTES("   ncalls  tottime "), 0,
	  LINE, NULL },
	{ "the text of pyinstrument",
	  "record again: pyinstrument -r speedscope -o out.json PROGRAM",
	  BYTES("_     ._   __/__ "), 0, TEXT, NULL },

	{ "a core file", use_core, BYTES("\x7f" "ELF"), 0, MAGIC, is_core },
	{ "a program or library (ELF)",
	  "give a profile of it: perf record -g @, then perf script | "
	  "flame-fold", BYTES("\x7f" "ELF"), 0, MAGIC, NULL },
	{ "a program or library (Mach-O)",
	  "give a profile of it: sample PID | flame-fold",
	  BYTES("\xcf\xfa\xed\xfe"), 0, MAGIC, NULL },
	{ "a memory dump of Windows", use_raw, BYTES("MDMP"), 0, MAGIC, NULL },
	{ "a systemd journal",
	  "print it: journalctl --file @ -o cat | flame-fold",
	  BYTES("LPKSHHRH"), 0, MAGIC, NULL },

	{ "ORC", use_table, BYTES("ORC"), 0, MAGIC, NULL },
	{ "Avro", use_table, BYTES("Obj\x01"), 0, MAGIC, NULL },
	{ "Arrow", use_table, BYTES("ARROW1"), 0, MAGIC, NULL },
	{ "an SQLite database", use_table, BYTES("SQLite format 3\0"), 0,
	  MAGIC, NULL },
	{ "a SequenceFile of Hadoop",
	  "print it: hadoop fs -text @ | flame-fold", BYTES("SEQ\x06"), 0,
	  MAGIC, NULL },
	{ "a tar archive", "unpack it: tar -xOf @ | flame-fold",
	  BYTES("ustar"), 257, MAGIC, NULL },
	{ "a 7z archive", "unpack it: 7z x -so @ | flame-fold",
	  BYTES("7z\xbc\xaf\x27\x1c"), 0, MAGIC, NULL },
	{ "packed by lzop", "unpack it: lzop -dc @ | flame-fold",
	  BYTES("\x89LZO"), 0, MAGIC, NULL },
	{ "packed by Snappy", "unpack it: snzip -dc @ | flame-fold",
	  BYTES("\xff\x06\0\0sNaPpY"), 0, MAGIC, NULL },
	{ "a picture (PNG)", use_page, BYTES("\x89PNG"), 0, MAGIC, NULL },
	{ "a picture (JPEG)", use_page, BYTES("\xff\xd8\xff"), 0, MAGIC,
	  NULL },
	{ "a PDF", use_page, BYTES("%PDF-"), 0, MAGIC, NULL },
	{ "a web server's access log",
	  "it has no stacks; record them: perf record -g -p PID, then "
	  "perf script | flame-fold", "", 0, 0, LOG, is_access_log },
	{ "folded text whose counts have units", "have counts as plain numbers, of "
	  "one unit", "", 0, 0, LOG, has_units },
	{ "a pointer of Git LFS", "fetch the file itself: git lfs pull",
	  BYTES("version https://git-lfs"), 0, TEXT, NULL },
};

static struct slice begin_of_text(const uint8_t *head, size_t n)
{
	struct slice s = { (const char *)head, n };

	if (fl_slice_starts(s, "\xef\xbb\xbf"))
		s = fl_slice_from(s, 3);
	while (s.size && strchr(" \t\r\n", s.data[0]) && s.data[0]) {
		s.data++;
		s.size--;
	}
	return s;
}

static bool has_line(struct slice text, const struct row *row)
{
	const char *at = text.data, *end = text.data + text.size, *lf;

	while ((size_t)(end - at) >= row->size) {
		if (memcmp(at, row->text, row->size) == 0)
			return true;
		lf = memchr(at, '\n', (size_t)(end - at));
		if (!lf)
			return false;
		at = lf + 1;
	}
	return false;
}

/* Whether the text begins as JSON: a bracket, then a string or a bracket. */
static bool is_json(struct slice text)
{
	if (!text.size || (text.data[0] != '{' && text.data[0] != '['))
		return false;
	text = begin_of_text((const uint8_t *)text.data + 1, text.size - 1);
	return text.size && text.data[0] && strchr("\"{[", text.data[0]);
}

static bool matches(const struct row *row, const uint8_t *head, size_t n,
		    struct slice text)
{
	switch (row->kind) {
	case MAGIC:
		return n >= row->offset + row->size &&
		       memcmp(head + row->offset, row->text, row->size) == 0;
	case TEXT:
		return text.size >= row->size &&
		       memcmp(text.data, row->text, row->size) == 0;
	case JSON:
		return is_json(text) &&
		       memmem(text.data, text.size, row->text, row->size);
	case LINE:
		return has_line(text, row);
	case LOG:
		return true;
	}
	return false;
}

bool fl_unreadable_find(const uint8_t *head, size_t n, bool text_only,
			struct fl_unreadable *found)
{
	struct slice text = begin_of_text(head, n);

	for (size_t i = 0; i < FL_COUNT(rows); i++) {
		const struct row *row = &rows[i];

		if ((text_only && row->kind != TEXT && row->kind != LOG) ||
		    !matches(row, head, n, text) ||
		    (row->check && !row->check(head, n)))
			continue;
		found->name = row->name;
		found->advice = row->advice;
		return true;
	}
	return false;
}

static bool is_plain(const char *name)
{
	return *name && *name != '-' &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_-+.,:@%/")] == '\0';
}

void fl_unreadable_say(struct fl_buf *buf, const struct fl_unreadable *found,
		       const char *name)
{
	/* A name that the shell would split is not pasted. */
	if (!is_plain(name))
		name = "FILE";
	fl_buf_print(buf, "%s cannot be read; ", found->name);
	for (const char *c = found->advice; *c; c++)
		if (*c == '@')
			fl_buf_text(buf, name);
		else
			fl_buf_byte(buf, *c);
}
