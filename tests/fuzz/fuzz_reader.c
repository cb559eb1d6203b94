/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader of any format, asked for little, for all it has, and for what is
 * off its beaten path.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <zlib.h>

struct way {
	const char *asks[8][2];
	const char *filters[3][2];	/* one after another */
};

static const struct way ways[] = {
	{ { { NULL } }, { { NULL } } },
	{
		{ { "total", NULL }, { "lines", NULL }, { "bci", NULL },
		  { "thread", "." }, { "from", "+0" }, { "to", "+1h" },
		  { "srcline", NULL } },
		{ { "threads", NULL }, { "by", "state" } },
	},
	{
		{ { "leak", NULL }, { "tail", "20%" }, { "survey", NULL },
		  { "includeoffset", NULL }, { "peer", "inferno" } },
		{ { "classify", NULL }, { "grain", "3" } },
	},
	{
		{ { "latency", "1us" }, { "tag", "." }, { "compat", NULL },
		  { "state", "runnable,sleeping" }, { "grain", "2" } },
		{ { "norm", NULL }, { "dot", NULL } },
	},
};

static void ask(struct flame_source *source, const struct way *way)
{
	for (size_t i = 0; i < FL_COUNT(way->asks) && way->asks[i][0]; i++)
		if (flame_ask(source, way->asks[i][0], way->asks[i][1]) !=
		    FLAME_OK)
			flame_clear(source->flame);
}

/* The output; whether nothing failed. */
struct made {
	struct fl_buf out;
	bool good;
};

static struct made read_into(struct flame *flame,
			     const struct fuzz_target *target,
			     const uint8_t *data, size_t size,
			     const struct way *way)
{
	struct made made = { .good = false };
	struct flame_sink *sink = fuzz_writer(flame, "folded", &made.out);
	struct flame_source *source =
		flame_open_memory(flame, data, size, "m", target->format->name);
	const struct flame_fact *facts;

	for (size_t i = 0; i < FL_COUNT(way->filters) && way->filters[i][0];
	     i++)
		sink = fuzz_front(sink, way->filters[i][0],
				  way->filters[i][1]);
	sink = fuzz_watch(flame, sink, NULL);
	if (source) {
		ask(source, way);
		flame_pump(source, sink);
		flame_facts(source, &facts);
		FUZZ_HOLDS(flame_source_damage(source) >= 0);
	} else {
		FUZZ_HOLDS(fl_failed(flame));
	}
	flame_close(source);
	flame_finish(sink);
	made.good = !fl_failed(flame);
	fuzz_flame_holds(flame);
	flame_free(flame);
	return made;
}

/* Where there are many already, stacks of perf are found side by side. */
static struct flame *of_many_stacks(void)
{
	struct flame *flame = fuzz_flame();
	flame_id stack = 0, frame = fl_frame(flame, fl_name(flame, "f"), 0);

	for (unsigned i = 0; i < 10000; i++)
		stack = flame_stack(flame, stack, frame);
	return flame;
}

void fuzz_reader(const struct fuzz_target *target, const uint8_t *data,
		 size_t size)
{
	struct made made = read_into(fuzz_flame(), target, data, size,
				     &ways[0]);

	if (strcmp(target->name, "perf") == 0) {
		struct made other = read_into(of_many_stacks(), target, data,
					      size, &ways[0]);

		FUZZ_HOLDS(other.good == made.good);
		FUZZ_HOLDS(!made.good || (other.out.size == made.out.size &&
					  (!made.out.size ||
					   memcmp(other.out.data, made.out.data,
						  made.out.size) == 0)));
		fl_buf_free(&other.out);
	}
	fl_buf_free(&made.out);
	for (size_t i = 1; i < FL_COUNT(ways); i++) {
		made = read_into(fuzz_flame(), target, data, size, &ways[i]);
		fl_buf_free(&made.out);
	}
}

/* As whatever it is detected. */
void fuzz_detect(const struct fuzz_target *target, const uint8_t *data,
		 size_t size)
{
	struct flame *flame = fuzz_flame();
	struct flame_sink *sink = fuzz_watch(flame, NULL, NULL);

	(void)target;
	fuzz_read(flame, data, size, NULL, sink);
	flame_abandon(sink);
	fuzz_flame_holds(flame);
	flame_free(flame);
}

/* A page of ours, whose profile is packed: the bytes are what is in there. */
void fuzz_packed(const struct fuzz_target *target, const uint8_t *data,
		 size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	const struct fuzz_target html = {
		.name = target->name,
		.format = fl_format_named(NULL, "html", false)
	};
	z_stream z = { 0 };
	uint8_t *packed = malloc(size + 1024);
	struct fl_buf page = { 0 };

	if (!packed || deflateInit2(&z, 0, Z_DEFLATED, -15, 9,
				    Z_DEFAULT_STRATEGY) != Z_OK)
		exit(0);
	z.next_in = (uint8_t *)data;
	z.avail_in = (uInt)size;
	z.next_out = packed;
	z.avail_out = (uInt)size + 1024;
	FUZZ_HOLDS(deflate(&z, Z_FINISH) == Z_STREAM_END);
	fl_buf_text(&page, "<!DOCTYPE html>\n"
		    "<script type=\"text/plain\" id=\"data\">");
	for (size_t i = 0; i * 6 < z.total_out * 8; i++) {
		size_t at = i * 6 / 8;
		unsigned two = (unsigned)packed[at] << 8;

		if (at + 1 < z.total_out)
			two |= packed[at + 1];
		fl_buf_byte(&page, digits[two >> (10 - i * 6 % 8) & 63]);
	}
	fl_buf_text(&page, "</script>\n");
	if (page.failed)
		exit(0);
	fuzz_reader(&html, (const uint8_t *)page.data, page.size);
	fl_buf_free(&page);
	deflateEnd(&z);
	free(packed);
}
