/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All targets: those below, then each format that reads, then each decoder.
 */
#include "fuzz.h"

#include "format/format.h"

static const struct fuzz_target own[] = {
	{ "detect", fuzz_detect, NULL },
	{ "filter", fuzz_filter, NULL },
	{ "json", fuzz_json, NULL },
	{ "logs", fuzz_decoder, NULL },
	{ "merge", fuzz_merge, NULL },
	{ "names", fuzz_names, NULL },
	{ "packed", fuzz_packed, NULL },
	{ "page", fuzz_page, NULL },
	{ "plain", fuzz_plain, NULL },
	{ "protobuf", fuzz_protobuf, NULL },
	{ "regex", fuzz_regex, NULL },
	{ "roundtrip", fuzz_roundtrip, NULL },
	{ "select", fuzz_select, NULL },
	{ "spark", fuzz_spark, NULL },
	{ "tree", fuzz_tree, NULL },
#ifdef HAVE_SAMPLER
	{ "sample-cfi", fuzz_cfi, NULL },
	{ "sample-cpython", fuzz_cpython, NULL },
	{ "sample-elf", fuzz_elf, NULL },
	{ "sample-hotspot", fuzz_hotspot, NULL },
	{ "sample-ring", fuzz_ring, NULL },
	{ "sample-stream", fuzz_stream, NULL },
	{ "sample-symbols", fuzz_symbols, NULL },
#endif
};

static const struct fl_format *reader(unsigned *index)
{
	for (unsigned i = 0; fl_formats[i]; i++)
		if (fl_formats[i]->read && !(*index)--)
			return fl_formats[i];
	return NULL;
}

/* Two rows that adjoin may be of one name. */
static const char *decoder(unsigned *index)
{
	for (unsigned i = 0; fl_decoders[i]; i++) {
		const char *name = fl_decoders[i]->name;

		if (i && strcmp(name, fl_decoders[i - 1]->name) == 0)
			continue;
		if (!(*index)--)
			return name;
	}
	return NULL;
}

bool fuzz_target(unsigned index, struct fuzz_target *target)
{
	memset(target, 0, sizeof(*target));
	if (index < FL_COUNT(own)) {
		*target = own[index];
		return true;
	}
	index -= FL_COUNT(own);
	target->format = reader(&index);
	if (target->format) {
		target->name = target->format->name;
		target->run = fuzz_reader;
		return true;
	}
	target->name = decoder(&index);
	target->run = fuzz_decoder;
	return target->name;
}

bool fuzz_target_named(const char *name, struct fuzz_target *target)
{
	for (unsigned i = 0; fuzz_target(i, target); i++)
		if (strcmp(target->name, name) == 0)
			return true;
	return false;
}
