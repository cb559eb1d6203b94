/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that few inputs need are opened when one of these comes: such a
 * library may take longer to load, with all that it needs itself, than a
 * small profile takes to read.
 *
 *	#define LIBXML2(f) f(xmlParseChunk) f(xmlFreeParserCtxt)
 *	FL_LATE_STRUCT(xml, LIBXML2);
 *	static FL_LATE(xml, LIBXML2, LIBXML2_FILE, "svg", "reads SVG");
 *	...
 *	why = fl_late_open(&xml_late);
 *	if (!why)
 *		xml.xmlFreeParserCtxt(parser);
 *
 * With --disable-late they are linked with as all others are.
 */
#ifndef FL_LATE_H
#define FL_LATE_H

struct fl_late {
	const char *file;		/* NULL: linked with */
	const char *const *names;	/* of its functions, NULL behind them */
	void *functions;		/* takes pointers to them, in order */
};

/* NULL: it is open, all its functions are there; or why not. */
const char *fl_late_open(const struct fl_late *late);

#define FL_LATE_POINTER(f) __typeof__(f) *f;
#define FL_LATE_STRUCT(name, list) struct name { list(FL_LATE_POINTER) }

#ifdef LATE

#define FL_LATE_CONST
#define FL_LATE_NAME(f) #f,
#define FL_LATE(name, list, file, feature, does) \
	struct name name; \
	FL_LATE_NOTE(name, file, feature, does); \
	static const char *const name##_names[] = { \
		list(FL_LATE_NAME) NULL \
	}; \
	static const struct fl_late name##_late = { \
		file, name##_names, &name \
	}

/*
 * What ldd does not show, packagers find in a note of the ELF file, as
 * https://systemd.io/ELF_DLOPEN_METADATA has it.
 */
#define FL_LATE_JSON(file, feature, does) \
	"[{\"feature\":\"" feature "\",\"description\":\"" does "\"," \
	"\"priority\":\"recommended\",\"soname\":[\"" file "\"]}]"
#define FL_LATE_NOTE(name, file, feature, does) \
	static const struct { \
		uint32_t name_size, size, type; \
		char owner[4]; \
		_Alignas(4) char json[sizeof(FL_LATE_JSON(file, feature, \
							  does))]; \
	} name##_note __attribute__((used, aligned(4), \
				     section(".note.dlopen"))) = { \
		4, sizeof(FL_LATE_JSON(file, feature, does)), 0x407c0c0a, \
		"FDO", FL_LATE_JSON(file, feature, does) \
	}

#else

#define FL_LATE_CONST const
#define FL_LATE_SELF(f) .f = f,
#define FL_LATE(name, list, file, feature, does) \
	const struct name name = { list(FL_LATE_SELF) }; \
	static const struct fl_late name##_late = { NULL, NULL, NULL }

#endif

#endif
