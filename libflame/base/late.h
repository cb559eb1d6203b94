/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that few inputs need are opened with dlopen when one comes: to
 * load such a library with its dependencies may cost more than to read a
 * small profile.
 *
 *	#define LIBXML2(f) f(xmlParseChunk) f(xmlFreeParserCtxt)
 *	FL_LATE_STRUCT(xml, LIBXML2);
 *	static FL_LATE(xml, LIBXML2, LIBXML2_FILE, "svg", "reads SVG");
 *	...
 *	why = fl_late_open(&xml_late);
 *	if (!why)
 *		xml.xmlFreeParserCtxt(parser);
 *
 * With --disable-late they are linked as usual.
 */
#ifndef FL_LATE_H
#define FL_LATE_H

struct fl_late {
	const char *file;		/* NULL: linked as usual */
	const char *const *names;	/* of its functions, ends in NULL */
	void *functions;		/* receives their addresses in order */
};

/* Opens the library and finds its functions; NULL, or the error. */
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
 * ldd does not show these libraries: a note in the ELF file lists them for
 * packagers, see https://systemd.io/ELF_DLOPEN_METADATA.
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
