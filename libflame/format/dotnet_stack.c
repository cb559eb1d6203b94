/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what dotnet-stack report prints, one report or many, leaf first.  Each
 * thread is a sample of the metric threads.
 *
 *	Thread (0x48839B):
 *	  [Native Frames]
 *	  MyApp!MyApp.Program.Main(class System.String[])
 */
#include "fl.h"

#include "format/format.h"

struct dotnet {
	struct fl_dump dump;
	bool unsure;	/* the last line may be a part of one */
};

static bool read_header(struct slice line, int64_t *tid)
{
	uint64_t id;

	if (!fl_slice_starts(line, "Thread (0x") || !fl_slice_ends(line, "):"))
		return false;
	line = (struct slice){ line.data + 8, line.size - 10 };
	if (!fl_parse_hex(line, &id))
		return false;
	*tid = (int64_t)(id & INT64_MAX);
	return true;
}

static void accept_line(struct fl_dump *dump, struct slice line)
{
	struct flame *flame = dump->source->flame;
	struct dotnet *d = (struct dotnet *)dump;
	int64_t tid;

	d->unsure = !dump->lines.ended;
	if (dump->open && line.size > 2 && fl_slice_starts(line, "  ")) {
		line = fl_slice_trim(line);
		if (line.size)
			fl_dump_frame(dump, fl_frame(flame,
				flame_name(flame, line.data, line.size),
				FLAME_UNKNOWN));
		return;
	}
	fl_dump_end(dump);
	if (read_header(line, &tid)) {
		fl_dump_begin(dump, FL_SLICE(""));
		dump->tid = tid;
	}
}

static bool begins(struct slice line)
{
	int64_t tid;

	return read_header(line, &tid);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_dump_probe(head, n, whole, begins, FL_FORMAT_CERTAIN);
}

static void end_of_input(struct fl_dump *dump)
{
	struct dotnet *d = (struct dotnet *)dump;

	if (!d->unsure && !fl_in_damage(dump->source->in))
		fl_dump_end(dump);
	else
		fl_dump_lose(dump);
}

static int read(struct flame_source *source)
{
	return fl_dump_read(source->state, accept_line, end_of_input);
}

const struct fl_format fl_format_dotnet_stack = {
	.name = "dotnet-stack",
	.summary = "what dotnet-stack report prints",
	.probe = probe,
	.state_size = sizeof(struct dotnet),
	.open = fl_dump_open,
	.read = read,
	.release = fl_dump_free,
};
