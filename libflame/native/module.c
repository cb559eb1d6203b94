/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_module_read() reads the symbols and the call frame information of a mapped
 * file, for names.c and sample/module.c.  Symbols that it lacks are in a file
 * of debug information, found by build id or .gnu_debuglink, or packed in
 * .gnu_debugdata.
 */
#include "fl.h"

#include "native/module.h"
#include "io/io.h"

#include <elf.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

static bool is_debug_of(const struct fl_elf *debug, const struct fl_elf *elf)
{
	return debug && (!elf->build_id_size ||
			 (elf->build_id_size == debug->build_id_size &&
			  memcmp(elf->build_id, debug->build_id,
				 elf->build_id_size) == 0));
}

/* By the build id, as distributions lay them. */
static struct fl_elf *debug_by_id(const struct fl_elf *elf,
				  const struct fl_debug_files *files)
{
	char digits[2 * sizeof(elf->build_id) + 1];
	int fd;

	if (elf->build_id_size < 2)
		return NULL;
	for (size_t i = 0; i < elf->build_id_size; i++)
		snprintf(digits + 2 * i, 3, "%02x", elf->build_id[i]);
	fd = files->by_id(files->arg, digits);
	return fd < 0 ? NULL : fl_elf_open(fd);
}

/* By .gnu_debuglink: a name, beside the file or below /usr/lib/debug. */
static struct fl_elf *debug_by_link(struct fl_elf *elf, const char *path,
				    const struct fl_debug_files *files)
{
	static const char *const forms[] = {
		"%.*s/%s", "%.*s/.debug/%s", "/usr/lib/debug%.*s/%s"
	};
	char *link = fl_elf_copy(elf, fl_elf_section(elf, ".gnu_debuglink"));
	const char *slash = strrchr(path, '/');
	struct fl_elf *debug = NULL;
	char name[4096];

	for (size_t i = 0; link && slash && !debug && !strchr(link, '/') &&
	     i < FL_COUNT(forms); i++) {
		int fd;

		snprintf(name, sizeof(name), forms[i], (int)(slash - path),
			 path, link);
		if (strcmp(name, path) == 0)
			continue;
		fd = files->by_path(files->arg, name);
		debug = fd < 0 ? NULL : fl_elf_open(fd);
		if (debug && !is_debug_of(debug, elf)) {
			fl_elf_close(debug);
			debug = NULL;
		}
	}
	fl_free(link);
	return debug;
}

/*
 * .gnu_debugdata: a small file of symbols that is packed with xz, as Fedora and
 * its kin have.  The file may be anybody's, so its damage is nobody's error.
 */
static bool unpack(struct flame *own, const void *packed, size_t size,
		   struct fl_buf *to)
{
	enum { STEP = 1 << 16, MOST = 64 << 20 };
	struct fl_in *in = fl_in_decoded(fl_in_memory(own, packed, size,
						      ".gnu_debugdata"));
	const uint8_t *at;
	size_t avail;

	while (in && to->size < MOST && !to->failed &&
	       (at = fl_in_peek(in, STEP, &avail)) && avail) {
		avail = FL_MIN(avail, (size_t)STEP);
		fl_buf_put(to, (const char *)at, avail);
		fl_in_consume(in, avail);
	}
	fl_in_close(in);
	return to->size && !to->failed;
}

static struct fl_elf *open_packed(struct fl_elf *elf, struct fl_buf *bytes)
{
	const struct fl_elf_section *section = fl_elf_section(elf,
							".gnu_debugdata");
	void *packed = fl_elf_copy(elf, section);
	struct flame *own = packed ? flame_new() : NULL;
	struct fl_elf *debug = NULL;

	if (own && unpack(own, packed, section->size, bytes))
		debug = fl_elf_memory(bytes->data, bytes->size);
	flame_free(own);
	fl_free(packed);
	return debug;
}

struct fl_elf *fl_elf_vdso(void)
{
	const Elf64_Ehdr *e = (const void *)(uintptr_t)
			      getauxval(AT_SYSINFO_EHDR);

	/* The section headers are at the end of the file. */
	return e ? fl_elf_memory(e, e->e_shoff +
				    (size_t)e->e_shnum * e->e_shentsize) : NULL;
}

/* Of a large file little is ever asked for. */
static void read_frames(struct fl_module *module)
{
	enum { LARGE = 256 << 10 };
	struct fl_elf *elf = module->elf;
	const struct fl_elf_section *section = fl_elf_section(elf, ".eh_frame");
	void *frame;

	if (section && section->size > LARGE && elf->fd >= 0 &&
	    fl_cfi_open(&module->cfi, elf))
		return;
	frame = fl_elf_copy(elf, section);
	if (frame)
		fl_cfi_init(&module->cfi, frame, section->size,
			    section->address);
}

void fl_module_read_end(struct fl_module *module)
{
	struct fl_elf *elf = module->elf;

	if (elf->fd < 0 || module->cfi.file)
		return;
	close(elf->fd);
	elf->fd = -1;
	elf->size = 0;
}

void fl_module_read(struct fl_module *module,
		    const struct fl_debug_files *files,
		    struct fl_module_debug *debug)
{
	struct fl_elf *elf = module->elf;

	memset(debug, 0, sizeof(*debug));
	/* Of another machine nothing is unwound. */
	if (elf->machine == (FL_IS_ARM64 ? EM_AARCH64 : EM_X86_64))
		read_frames(module);
	if (!fl_elf_section(elf, ".symtab")) {
		debug->elf = debug_by_id(elf, files);
		if (!debug->elf)
			debug->elf = debug_by_link(elf, module->path, files);
		if (!debug->elf)
			debug->elf = open_packed(elf, &debug->unpacked);
	}
	fl_symbols_elf(&module->symbols, elf, debug->elf);
	elf->refused |= debug->elf && debug->elf->refused;
}

void fl_module_debug_close(struct fl_module_debug *debug)
{
	fl_elf_close(debug->elf);
	fl_buf_free(&debug->unpacked);
}
