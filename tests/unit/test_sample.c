/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampler's parts: symbols, names, mappings, the kernel's records, and the
 * unwinder, on this test's own stack.
 */
#include "fl.h"

#include "base/demangle.h"
#include "native/files.h"
#include "native/jitdump.h"
#include "native/module.h"
#include "native/plain_name.h"
#include "sample/blocked.h"
#include "sample/ring.h"
#include "sample/sample.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* Symbols --------------------------------------------------------------- */

static char *copy_of(const char *text)
{
	char *copy = fl_alloc(strlen(text) + 1);

	cr_assert(copy);
	return strcpy(copy, text);
}

static const char *name_at(struct fl_symbols *symbols, uint64_t at)
{
	struct fl_symbol *symbol = fl_symbols_at(symbols, at);

	return symbol ? symbol->name : "none";
}

Test(symbols, of_the_kernel_are_functions_with_modules)
{
	struct fl_symbols s = { 0 };
	const char *text = "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T startup\n"
			   "ffffffff81000100 D data\n"
			   "ffffffff81000200 t work\n"
			   "ffffffffc0000000 t ride\t[horse]\n"
			   "0000000000000000 t hidden\nnonsense\n\n";

	cr_assert(fl_symbols_kernel(&s, copy_of(text), strlen(text)));
	cr_expect_str_eq(name_at(&s, UINT64_C(0xffffffff81000001)), "startup");
	cr_expect_str_eq(name_at(&s, UINT64_C(0xffffffff81000150)), "startup");
	cr_expect_str_eq(name_at(&s, UINT64_C(0xffffffff81000200)), "work");
	cr_expect_str_eq(name_at(&s, UINT64_C(0xffffffffc0000010)), "ride");
	cr_expect_str_eq(fl_symbol_module(fl_symbols_at(
				&s, UINT64_C(0xffffffffc0000010))), "[horse]");
	cr_expect_str_eq(name_at(&s, 5), "none");
	fl_symbols_free(&s);
}

/* A file of the text, as kernel.c reads it. */
static struct fl_processes kernel_of(const char *text, size_t size)
{
	struct fl_processes all = { .flame = flame_new() };
	FILE *file = tmpfile();

	cr_assert(file && all.flame);
	cr_assert_eq(fwrite(text, 1, size, file), size);
	rewind(file);
	fl_kernel_open_at(&all, dup(fileno(file)));
	fclose(file);
	return all;
}

static const char *kernel_name(struct fl_processes *all, uint64_t at,
			       const char *file)
{
	flame_id id = fl_kernel_frame(all, at);
	const struct flame_frame *frame = &all->flame->frames.data[id];

	cr_expect_eq(frame->type, FLAME_KERNEL);
	cr_expect_str_eq(fl_name_at(all->flame, frame->file).data, file);
	return fl_name_at(all->flame, frame->name).data;
}

static void free_kernel(struct fl_processes *all)
{
	struct flame *flame = all->flame;

	fl_processes_free(all);
	flame_free(flame);
}

Test(kernel, functions_have_the_better_name_and_their_module)
{
	const char *text = "ffffffff81000000 T __text\n"
			   "ffffffff81000000 T startup\n"
			   "ffffffff81000100 D data\n"
			   "ffffffffc0000000 t ride\t[horse]\n"
			   "ffffffff81000200 t work\n"
			   "ffffffffc0000000 t __ride\t[cow]\n"
			   "0000000000000000 t hidden\nnonsense\n\n";
	const char *core = "[kernel.kallsyms]";
	struct fl_processes all = kernel_of(text, strlen(text));

	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffffffff81000000), core),
			 "startup");
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffffffff810001ff), core),
			 "startup");
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffffffff81000200), core),
			 "work");
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffffffffc0000fff),
				     "[horse]"), "ride");
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffffffffc0001000), core),
			 core);
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffffffffb0000000), core),
			 core, "of no function, between two");
	cr_expect_str_eq(kernel_name(&all, 5, core), core);
	cr_expect_eq(all.kernel.count, 3);
	free_kernel(&all);
}

/* Blocks of 64 kB end within lines. */
Test(kernel, functions_are_read_across_blocks_and_long_lines_end_it)
{
	enum { MANY = 10000, LONG = 1 << 17 };
	struct fl_buf text = { 0 };
	struct fl_processes all;
	char name[24];

	for (unsigned i = 0; i < MANY; i++)
		fl_buf_print(&text, "ffffffff%08x t f%u\n", 4096 * i, i);
	fl_buf_text(&text, "ffffffffffff0000 t ");
	memset(fl_buf_reserve(&text, LONG), 'x', LONG);
	text.size += LONG;
	fl_buf_text(&text, "\nffffffffffff1000 t never\n");
	all = kernel_of(text.data, text.size);
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffffffff00000005),
				     "[kernel.kallsyms]"), "f0");
	cr_expect_lt(all.kernel.count, MANY, "all of it is read");
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		cr_assert_str_eq(kernel_name(&all, UINT64_C(0xffffffff00000005)
					     + 4096 * i, "[kernel.kallsyms]"),
				 name);
	}
	cr_expect_eq(all.kernel.count, MANY);
	fl_buf_free(&text);
	free_kernel(&all);
}

/* Each has one that follows in the file, and is nearer. */
Test(kernel, modules_are_in_no_order_and_may_be_below_the_kernel)
{
	const char *text = "ffff800010000000 T begin\n"
			   "ffff800010001000 T end\n"
			   "ffff800000001000 t a\t[one]\n"
			   "ffff800020000000 t b\t[one]\n"
			   "ffff800030000000 t d\t[one]\n"
			   "ffff800020001000 t c\t[two]\n";
	struct fl_processes all = kernel_of(text, strlen(text));

	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffff800010000001),
				     "[kernel.kallsyms]"), "begin");
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffff800020001001),
				     "[two]"), "c");
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffff800000001001),
				     "[one]"), "a");
	free_kernel(&all);
}

/* In a folder of its own, made of the text. */
static char *cache_of(const char *text)
{
	struct fl_processes all = kernel_of(text, strlen(text));
	char host[64], *folder = strdup("/tmp/kernel-cache-XXXXXX"), *path;
	int fd;

	cr_assert(mkdtemp(folder));
	setenv("XDG_CACHE_HOME", folder, 1);
	kernel_name(&all, 5, "[kernel.kallsyms]");	/* reads all of it */
	fd = fl_cache_create();
	if (fd < 0)
		cr_skip_test("/tmp has no files without a name");
	fl_kernel_store(&all.kernel, fd);
	free_kernel(&all);
	gethostname(host, sizeof(host));
	cr_assert(asprintf(&path, "%s/libflame/kernel.%s", folder, host) > 0);
	free(folder);
	return path;
}

static void remove_cache(char *path)
{
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	free(path);
}

static bool is_mapped(void)
{
	struct fl_kernel k = { 0 };
	bool mapped = fl_kernel_map(&k);

	fl_kernel_unmap(&k);
	return mapped;
}

static const char cached_text[] = "ffffffff81000000 T begin\n"
				  "ffffffff81000100 t work\n"
				  "ffffffff81000200 T end\n"
				  "ffffffffc0000000 t ride\t[horse]\n";

Test(kernel, functions_of_the_cache_are_those_of_the_text)
{
	const char *core = "[kernel.kallsyms]";
	char *path = cache_of(cached_text);
	struct fl_processes all = kernel_of(cached_text, strlen(cached_text));

	cr_assert(fl_kernel_map(&all.kernel));
	cr_expect_eq(all.kernel.count, 3, "those of modules may change");
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffffffff810000ff), core),
			 "begin");
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffffffff81000100), core),
			 "work");
	cr_expect(all.kernel.mapped, "the text was read");
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffffffffc0000001),
				     "[horse]"), "ride");
	cr_expect_not(all.kernel.mapped);
	cr_expect_str_eq(kernel_name(&all, UINT64_C(0xffffffff81000100), core),
			 "work");
	free_kernel(&all);
	remove_cache(path);
}

/* Each byte, which is also another boot; and each length. */
Test(kernel, a_damaged_cache_is_refused_or_has_other_names)
{
	char *path = cache_of(cached_text), byte;
	int fd = open(path, O_RDWR);
	struct stat st;
	size_t head, refused = 0;

	cr_assert(fd >= 0 && fstat(fd, &st) == 0);
	for (off_t at = 0; at < st.st_size; at++) {
		struct fl_processes all = { .flame = flame_new() };

		cr_assert_eq(pread(fd, &byte, 1, at), 1);
		byte ^= 0x55;
		cr_assert_eq(pwrite(fd, &byte, 1, at), 1);
		all.kernel.opened = all.kernel.sorted = true;
		if (fl_kernel_map(&all.kernel))
			for (unsigned i = 0; i < 3; i++)
				fl_kernel_frame(&all, UINT64_C(0xffffffff81000000)
						+ 256 * i);
		else
			refused++;
		byte ^= 0x55;
		cr_assert_eq(pwrite(fd, &byte, 1, at), 1);
		free_kernel(&all);
	}
	head = (size_t)st.st_size - 3 * sizeof(struct fl_kernel_function) -
	       sizeof("begin") - sizeof("work") - sizeof("end") - 3 - 2;
	cr_expect_geq(refused, head);
	cr_expect(is_mapped());
	while (st.st_size-- > 0) {
		cr_assert_eq(ftruncate(fd, st.st_size), 0);
		cr_expect_not(is_mapped());
	}
	close(fd);
	remove_cache(path);
}

Test(kernel, a_cache_that_others_may_write_is_refused)
{
	char *path = cache_of(cached_text), *name = strrchr(path, '/'), *moved;

	cr_assert(is_mapped());
	chmod(path, 0620);
	cr_expect_not(is_mapped());
	chmod(path, 0600);
	*name = '\0';
	chmod(path, 0777);
	cr_expect_not(is_mapped());
	cr_expect_eq(fl_cache_create(), -1);
	chmod(path, 0700);
	*name = '/';
	if (geteuid() == 0) {
		cr_assert_eq(chown(path, 65534, 65534), 0);
		cr_expect_not(is_mapped());
		cr_assert_eq(chown(path, 0, 0), 0);
	}
	cr_expect(is_mapped());
	cr_assert(asprintf(&moved, "%s.moved", path) > 0);
	cr_assert_eq(rename(path, moved), 0);
	cr_assert_eq(symlink(moved, path), 0);
	cr_expect_not(is_mapped());
	unlink(moved);
	free(moved);
	unlink(path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_expect_not(is_mapped());
	remove_cache(path);
}

Test(symbols, of_the_last_addresses_have_an_end)
{
	struct fl_symbols s = { 0 };
	const char *text = "fffffffffffffff0 t near\n"
			   "ffffffffffffffff t last\t[horse]\n";

	cr_assert(fl_symbols_kernel(&s, copy_of(text), strlen(text)));
	cr_expect_eq(s.count, 1);
	cr_expect_str_eq(name_at(&s, UINT64_MAX - 1), "near");
	fl_symbols_free(&s);
}

Test(symbols, are_found_among_many_in_no_order)
{
	enum { MANY = 10000 };
	struct fl_symbols s = { 0 };
	struct fl_buf text = { 0 };
	char name[24];

	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t k = i * 7919 % MANY;	/* 7919 is prime */

		fl_buf_print(&text, "%llx T f%llu\n%llx t _f%llu\n",
			     (unsigned long long)(k + 1) << 20,
			     (unsigned long long)k,
			     (unsigned long long)(k + 1) << 20,
			     (unsigned long long)k);
	}
	cr_assert(fl_symbols_kernel(&s, text.data, text.size));
	cr_expect_eq(s.count, MANY);
	for (uint64_t k = 0; k < MANY; k++) {
		snprintf(name, sizeof(name), "f%u", (unsigned)k);
		cr_assert_str_eq(name_at(&s, ((k + 1) << 20) + 5), name);
	}
	fl_symbols_free(&s);
}

Test(symbols, with_very_long_names_are_cut)
{
	enum { LONG = 100000, MOST = 8192 };
	struct fl_symbols s = { 0 };
	struct fl_buf text = { 0 };

	fl_buf_text(&text, "1000 10 ");
	for (unsigned i = 0; i < LONG; i++)
		fl_buf_text(&text, "n");
	fl_buf_text(&text, "\n2000 10 short\n");
	cr_assert(fl_symbols_map(&s, text.data, text.size));
	cr_expect_leq(strlen(name_at(&s, 0x1000)), MOST);
	cr_expect_str_eq(name_at(&s, 0x2000), "short");
	fl_symbols_free(&s);
}

Test(symbols, of_perf_maps_override_older_ones)
{
	struct fl_symbols s = { 0 };
	const char *text = "1000 100 first\n"
			   "2000 100 LPoint;::x with blanks\n"
			   "1000 80 second\n"
			   "2080 10 third\n"
			   "fffffffffffffff0 100 wraps\n"
			   "3000 0 empty\n"
			   "0x0000000000005000 0x0000000000000090 LHot;::spot\n"
			   "zz 10 bad\n"
			   "4000 10 unfinished";

	cr_assert(fl_symbols_map(&s, copy_of(text), strlen(text)));
	cr_expect_str_eq(name_at(&s, 0x1000), "second");
	cr_expect_str_eq(name_at(&s, 0x2000), "LPoint;::x with blanks");
	cr_expect_str_eq(name_at(&s, 0x2085), "third");
	cr_expect_str_eq(name_at(&s, 0x3000), "none");
	cr_expect_str_eq(name_at(&s, 0x508f), "LHot;::spot");
	cr_expect_str_eq(name_at(&s, 0x4000), "none");
	fl_symbols_free(&s);
}

static void expect_name(const char *mangled, const char *wanted)
{
	struct fl_buf buf = { 0 };

	if (!fl_demangle(&buf, "_Z1fv"))
		cr_skip("no libstdc++ here");
	buf.size = 0;
	cr_expect(fl_demangle(&buf, mangled));
	cr_expect_str_eq(buf.data, wanted);
	fl_buf_free(&buf);
}

/* Pairs of a name and what rustfilt 0.2.2 makes of it. */
static const char *const rust[][2] = {
	{ "_RNCNvNtCsi4IsKQVxMg0_3std5alloc8rust_oom0B5_",
	  "std::alloc::rust_oom::{closure#0}" },
	{ "_RNvXs0_NtCseQVuubCcFDg_12simd_adler324hashAhj0_NtB7_11Adler32Hash"
	  "4hash", "<[u8; 0] as simd_adler32::Adler32Hash>::hash" },
	{ "_RINvNtCsgEmfK2I1SDS_4core3ptr13drop_in_placeINtNtCslNYArtu3iFV_5all"
	  "oc5boxed3BoxDG_INtNtNtB4_3ops8function5FnMutTRL0_eEEp6OutputbEL_EECs"
	  "lKGqiwnqz1t_17rustc_codegen_ssa",
	  "core::ptr::drop_in_place::<alloc::boxed::Box<dyn for<'a> core::ops::"
	  "function::FnMut<(&'a str,), Output = bool>>>" },
	{ "_RNSNvMs8_NtCs8NwYtU1Mohg_4core3numo15overflowing_div5reify",
	  "<u128>::overflowing_div::{shim:reify#0}" },
	{ "_RNvXs1g_NtCs8NwYtU1Mohg_4core3fmtRINtNtNtCsgVdDwkt78Uu_4jiff4util8"
	  "rangeint3ri8Knn19_Kn19_ENtB6_5Debug3fmtBD_",
	  "<&jiff::util::rangeint::ri8<-25, 25> as core::fmt::Debug>::fmt" },
	{ "_RNvMs3_NtCsbEht8wFNRx7_5alloc7raw_vecINtB5_6RawVecTOhFUKCBN_EuENtNt"
	  "Csi4IsKQVxMg0_3std5alloc6SystemE8grow_oneB13_",
	  "<alloc::raw_vec::RawVec<(*mut u8, unsafe extern \"C\" fn(*mut u8)), "
	  "std::alloc::System>>::grow_one" },
	{ "_RNvNvMs0_Cs9Gga4UosLDO_6thorinINtB7_12DwarfPackagepE6finish10___CALL"
	  "SITE.llvm.12F", "<thorin::DwarfPackage<_>>::finish::__CALLSITE" },
	{ "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
	  "utf8_idents::\341\203\241\341\203\220\341\203\255\341\203\233"
	  "\341\203\224\341\203\232\341\203\220\341\203\223_\341\203\222"
	  "\341\203\224\341\203\233\341\203\240\341\203\230\341\203\224"
	  "\341\203\232\341\203\230_\341\203\241\341\203\220\341\203\223"
	  "\341\203\230\341\203\232\341\203\230" },
	{ "_RINvC3foo3barKRe616263_E", "foo::bar::<\"abc\">" },
	{ "_RINvC3foo3barKc27_E", "foo::bar::<'\\''>" },
	{ "_RINvC3foo3barKVNtC3foo1AS1aj1_EE", "foo::bar::<{foo::A { a: 1 }}>" },
	{ "_RINvC3foo3barKAj1_j2_EE", "foo::bar::<{[1, 2]}>" },
	{ "_RINvC3foo3barKTj1_EE", "foo::bar::<{(1,)}>" },
	{ "_RINvC3foo3barKo123456789abcdef0123_E",
	  "foo::bar::<0x123456789abcdef0123>" },
};

Test(names, of_rust_are_what_its_own_tools_say)
{
	struct fl_buf buf = { 0 };

	for (size_t i = 0; i < FL_COUNT(rust); i++) {
		buf.size = 0;
		cr_assert(fl_demangle(&buf, rust[i][0]), "%s", rust[i][0]);
		fl_buf_byte(&buf, '\0');
		cr_expect_str_eq(buf.data, rust[i][1]);
	}
	fl_buf_free(&buf);
}

/* Cut anywhere, nested without end, or making more and more text of itself. */
Test(names, of_rust_that_are_damaged_stay)
{
	struct fl_buf buf = { 0 };
	char deep[20000] = "_R", wide[20000] = "_RIC0";

	for (size_t i = 0; i < FL_COUNT(rust); i++) {
		for (size_t n = 0; n < strlen(rust[i][0]); n++) {
			char cut[512] = "";

			memcpy(cut, rust[i][0], n);
			fl_demangle_rust(&buf, cut);
		}
	}
	memset(deep + 2, 'S', sizeof(deep) - 3);
	cr_expect(!fl_demangle_rust(&buf, deep));
	cr_expect(!fl_demangle_rust(&buf, "_RNvB_1a"));
	cr_expect(!fl_demangle_rust(&buf, "_RMC0E"));
	for (int i = 0; i < 60; i++) {
		size_t n = strlen(wide);

		snprintf(wide + n, sizeof(wide) - n, "TTB%d_B%d_EE", i + 2,
			 i + 2);
	}
	fl_demangle_rust(&buf, wide);
	cr_expect_leq(buf.size, 1 << 20);
	fl_buf_free(&buf);
}

Test(names, of_cxx_and_rust_are_as_in_the_source)
{
	struct fl_buf buf = { 0 };

	cr_expect(!fl_demangle(&buf, "main"));
	cr_expect(!fl_demangle(&buf, "_Zx"));
	fl_buf_free(&buf);
	expect_name("_ZN2ns3BoxIlE4spinEi", "ns::Box<long>::spin(int)");
	expect_name("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
		    "core::fmt::Formatter::pad");
	expect_name("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.12",
		    "core::fmt::Formatter::pad");
	expect_name("__ZN2ns3BoxIlE4spinEi", "ns::Box<long>::spin(int)");
	expect_name("_ZN2ns1fEv@plt", "ns::f()@plt");
	expect_name("_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$"
		    "4into17h0123456789abcdefE",
		    "<T as core::convert::Into<U>>::into");
}

/* What std::map and std::unordered_map have, with many references and packs. */
Test(names, of_the_containers_of_cxx_are_demangled)
{
	static const char *const names[] = {
		"_ZNSt8__detail9_Map_baseINSt7__cxx1112basic_stringIcSt11char_"
		"traitsIcESaIcEEESt4pairIKS6_iESaIS9_ENS_10_Select1stESt8equal_"
		"toIS6_ESt4hashIS6_ENS_18_Mod_range_hashingENS_20_Default_"
		"ranged_hashENS_20_Prime_rehash_policyENS_17_Hashtable_traitsI"
		"Lb1ELb0ELb1EEELb1EEixEOS6_",
		"_ZNSt8_Rb_treeINSt7__cxx1112basic_stringIcSt11char_traitsIcESa"
		"IcEEESt4pairIKS5_iESt10_Select1stIS8_ESt4lessIS5_ESaIS8_EE22_M"
		"_emplace_hint_uniqueIJRKSt21piecewise_construct_tSt5tupleIJOS5"
		"_EESJ_IJEEEEESt17_Rb_tree_iteratorIS8_ESt23_Rb_tree_const_"
		"iteratorIS8_EDpOT_",
		"_ZNSt4pairIKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcE"
		"EEiEC4IJOS5_EJEEESt21piecewise_construct_tSt5tupleIJDpT_EESB_I"
		"JDpT0_EE",
	};

	for (size_t i = 0; i < FL_COUNT(names); i++)
		cr_expect(fl_demangle_is_safe(names[i]), "%s", names[i]);
}

/* A pack of eight in a pack, again and again. */
Test(names, of_cxx_whose_packs_become_long_stay)
{
	char wide[4096] = "_Z1fIJiiiiiiiiEEv";

	for (int i = 0; i < 12; i++)
		strcat(wide, "DpSt4pairIT_");
	cr_expect(!fl_demangle_is_safe(wide));
}

/* Each reference doubles the text: in this process it is not tried. */
Test(names, of_cxx_that_become_long_stay)
{
	char wide[4096] = "_Z1fSt4pairI1aS0_E";
	struct fl_buf buf = { 0 };

	cr_expect(fl_demangle_is_safe(wide));
	for (int i = 0; i < 40; i++) {
		size_t n = strlen(wide);

		snprintf(wide + n, sizeof(wide) - n, "St4pairIS%d_S%d_E", i,
			 i);
	}
	cr_expect(!fl_demangle_is_safe(wide));
	cr_expect(!fl_demangle(&buf, wide));
	cr_expect(!buf.size);
	fl_buf_free(&buf);
}

/* Mappings -------------------------------------------------------------- */

static struct flame *flame;
static struct fl_processes processes;

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
	processes = (struct fl_processes){ .flame = flame };
}

static void stop(void)
{
	fl_processes_free(&processes);
	flame_free(flame);
}

static void expect_maps(const struct fl_process *p, const uint64_t *wanted,
			size_t n)
{
	cr_assert_eq(p->maps.count, n);
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(p->maps.data[i].start, wanted[3 * i]);
		cr_expect_eq(p->maps.data[i].end, wanted[3 * i + 1]);
		cr_expect_eq(p->maps.data[i].offset, wanted[3 * i + 2]);
	}
}

Test(maps, that_are_new_cut_older_ones, .init = start, .fini = stop)
{
	struct fl_process *p = fl_process_get(&processes, 1 << 22);
	static const struct fl_mapping all[] = {
		{ 0x1000, 0x9000, 0, NULL }, { 0x3000, 0x4000, 0x70, NULL },
		{ 0x8000, 0xa000, 0x80, NULL }, { 0x500, 0x1800, 0x90, NULL },
		{ 0x3000, 0x4000, 0x99, NULL }, { 0x9000, 0x9000, 1, NULL },
	};
	static const uint64_t wanted[] = {
		0x500, 0x1800, 0x90, 0x1800, 0x3000, 0x800,
		0x3000, 0x4000, 0x99, 0x4000, 0x8000, 0x3000,
		0x8000, 0xa000, 0x80
	};

	for (size_t i = 0; i < FL_COUNT(all); i++)
		fl_process_map(&processes, p, &all[i]);
	expect_maps(p, wanted, 5);
}

Test(maps, of_a_child_are_its_parents, .init = start, .fini = stop)
{
	struct fl_process *p = fl_process_get(&processes, 1 << 22), *child;
	static const uint64_t wanted[] = { 0x1000, 0x2000, 0 };

	fl_process_map(&processes, p,
		       &(struct fl_mapping){ 0x1000, 0x2000, 0, NULL });
	p->tracked = true;
	child = fl_process_get(&processes, (1 << 22) + 1);
	p = fl_process_find(&processes, 1 << 22);
	fl_process_fork(&processes, p, child);
	cr_expect(child->tracked);
	expect_maps(child, wanted, 1);
	fl_process_exec(child);
	cr_expect_eq(child->maps.count, 0);
	fl_process_exit(child);
	fl_processes_sweep(&processes);
	cr_expect_eq(fl_process_find(&processes, 1 << 22), p);
}

/* Files ----------------------------------------------------------------- */

Test(files, that_are_links_or_pipes_are_not_opened)
{
	char dir[] = "/tmp/flame-sample-XXXXXX", path[64], link[64], fifo[64];
	int fd;

	cr_assert(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	cr_assert_geq(fd, 0);
	close(fd);
	cr_assert_eq(symlink(path, link), 0);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	fd = fl_open_in_root(getpid(), path, false);
	if (fd < 0 && errno == ENOSYS)
		cr_skip("no openat2 here");
	cr_expect_geq(fd, 0);
	close(fd);
	cr_expect_lt(fl_open_in_root(getpid(), link, false), 0);
	cr_expect_eq(errno, ELOOP);
	fd = fl_open_in_root(getpid(), link, true);
	cr_expect_geq(fd, 0);
	close(fd);
	/* This does not wait for a writer. */
	cr_expect_lt(fl_open_in_root(getpid(), fifo, true), 0);
	unlink(fifo);
	unlink(link);
	unlink(path);
	rmdir(dir);
}

/* Records --------------------------------------------------------------- */

struct bytes {
	uint8_t at[1024];
	size_t size;
};

static void put(struct bytes *b, const void *at, size_t size)
{
	memcpy(b->at + b->size, at, size);
	b->size += size;
}

static void put64(struct bytes *b, uint64_t n)
{
	put(b, &n, 8);
}

static void put32(struct bytes *b, uint32_t n)
{
	put(b, &n, 4);
}

static void finish(struct bytes *b, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { type, misc, (uint16_t)b->size };

	memcpy(b->at, &h, sizeof(h));
}

static void make_sample(struct bytes *b)
{
	b->size = sizeof(struct perf_event_header);
	put64(b, 0x1234);
	put32(b, 10);
	put32(b, 11);
	put64(b, 99);		/* time */
	put32(b, 3);		/* cpu */
	put32(b, 0);
	put64(b, 2);		/* of the kernel's stack */
	put64(b, (uint64_t)-128);
	put64(b, UINT64_C(0xffffffff81000000));
	put64(b, PERF_SAMPLE_REGS_ABI_64);
	for (uint64_t i = 0; i < 17; i++)
		put64(b, 100 + i);
	put64(b, 16);		/* bytes of the stack, and those copied */
	put64(b, 7);
	put64(b, 8);
	put64(b, 8);
	finish(b, PERF_RECORD_SAMPLE, 0);
}

Test(records, of_samples_have_registers_and_a_stack)
{
	struct bytes b;
	struct fl_event e;

	make_sample(&b);
	cr_assert(fl_perf_event_parse(b.at, b.size, &e));
	cr_expect_eq(e.kind, FL_EVENT_SAMPLE);
	cr_expect_eq(e.pid, 10);
	cr_expect_eq(e.tid, 11);
	cr_expect_eq(e.time, 99);
	cr_expect_eq(e.cpu, 3);
	cr_expect_eq(e.nchain, 2);
	cr_expect(e.user64);
	cr_expect_eq(e.regs.value[FL_REG_SP], 107);
	cr_expect_eq(e.regs.value[FL_REG_IP], 108);
	cr_expect_eq(e.regs.value[FL_REG_BP], 106);
	cr_expect_eq(e.regs.value[FL_REG_BX], 101);
	cr_expect_eq(e.regs.value[15], 116);
	cr_expect_eq(e.stack.start, 107);
	cr_expect_eq(e.stack.size, 8);
	cr_expect(!e.stack.full);
}

Test(records, that_are_cut_are_refused)
{
	struct bytes b;
	struct fl_event e;

	make_sample(&b);
	for (size_t size = 0; size < b.size; size++)
		cr_expect(!fl_perf_event_parse(b.at, size, &e), "%zu", size);
}

Test(records, of_processes)
{
	struct bytes b = { .size = sizeof(struct perf_event_header) };
	struct fl_event e;

	put32(&b, 20);
	put32(&b, 19);
	put32(&b, 20);
	put32(&b, 19);
	put64(&b, 5);
	for (int i = 0; i < 3; i++)
		put64(&b, 77);
	finish(&b, PERF_RECORD_FORK, 0);
	cr_assert(fl_perf_event_parse(b.at, b.size, &e));
	cr_expect_eq(e.kind, FL_EVENT_FORK);
	cr_expect_eq(e.pid, 20);
	cr_expect_eq(e.parent, 19);
	cr_expect_eq(e.time, 77);

	b.size = sizeof(struct perf_event_header);
	put32(&b, 20);
	put32(&b, 20);
	put(&b, "sleep\0\0", 8);
	for (int i = 0; i < 3; i++)
		put64(&b, 78);
	finish(&b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	cr_assert(fl_perf_event_parse(b.at, b.size, &e));
	cr_expect_eq(e.kind, FL_EVENT_EXEC);
	cr_expect_str_eq(e.text, "sleep");
}

/*
 * A ring that the test writes as the kernel does: samples of 60 kB, of which
 * few bytes are a stack's.
 */
enum {
	RING = 1 << 20, SAMPLE = 61440, USED = 5000,
	WANTED = 7, OTHER = 8, CHILD = 9, GRANDCHILD = 10
};

static struct perf_event_mmap_page ring_page;

static void ring_put(struct fl_ring *ring, const void *from, size_t size)
{
	uint64_t at = ring_page.data_head;

	/* The reader is in time, or this fails. */
	for (unsigned i = 0; i < 2000 && at + size - __atomic_load_n(
			&ring_page.data_tail, __ATOMIC_ACQUIRE) > RING; i++)
		usleep(5000);
	cr_assert_leq(at + size - ring_page.data_tail, RING);
	for (size_t i = 0; i < size; i++)
		ring->data[(at + i) % RING] = ((const uint8_t *)from)[i];
	__atomic_store_n(&ring_page.data_head, at + size, __ATOMIC_RELEASE);
}

static void ring_put_sample(struct fl_ring *ring, pid_t pid, unsigned i)
{
	uint64_t words[SAMPLE / 8] = { 0 };
	struct perf_event_header h = { PERF_RECORD_SAMPLE, 0, SAMPLE };
	int32_t ids[2] = { pid, pid };
	size_t n = 0;

	memcpy(&words[n++], &h, sizeof(h));
	words[n++] = 0x1000;
	memcpy(&words[n++], ids, sizeof(ids));
	words[n++] = 1000 + i;
	words[n++] = 0;
	words[n++] = 1;			/* of the kernel's frames */
	words[n++] = UINT64_MAX;
	words[n++] = PERF_SAMPLE_REGS_ABI_64;
	n += FL_REGS;
	words[n] = SAMPLE - 8 * (n + 2);
	n++;
	memset(&words[n], (int)(i % 256), SAMPLE - 8 * (n + 1));
	words[SAMPLE / 8 - 1] = USED;
	ring_put(ring, words, SAMPLE);
}

static void ring_put_fork(struct fl_ring *ring, pid_t pid, pid_t parent,
			  unsigned i)
{
	struct {
		struct perf_event_header h;
		int32_t pid, parent, tid, ptid;
		uint64_t time, ids, when, cpu;
	} fork = {
		{ PERF_RECORD_FORK, 0, sizeof(fork) }, pid, parent, pid,
		parent, 1000 + i, 0, 1000 + i, 0
	};

	ring_put(ring, &fork, sizeof(fork));
}

static bool is_seven(void *arg, pid_t pid)
{
	return !arg && pid == WANTED;
}

static void expect_sample(const struct fl_event *e, unsigned i)
{
	size_t used = e->stack.size;

	/* The last ones stay in the ring. */
	cr_assert_eq(e->time, 1000 + i);
	cr_assert(used == USED || (e->pid == OTHER && !used));
	for (size_t k = 0; k < used; k++)
		cr_assert_eq(e->stack.data[k], i % 256);
}

Test(rings, are_emptied_while_their_reader_is_away)
{
	enum { SAMPLES = 200 };		/* 12 rings full */
	static const pid_t pids[] = { WANTED, OTHER, CHILD, GRANDCHILD };
	struct fl_ring ring = {
		.page = &ring_page, .data = fl_zeroed(1, RING), .size = RING
	};
	struct fl_perf_events events = {
		.rings = &ring, .nrings = 1, .barrier = UINT64_MAX - 1,
		.copy = fl_zeroed(1, 1 << 16),
	};
	struct fl_event e;
	uint64_t last = 0;
	unsigned n = 0;

	cr_assert(ring.data && events.copy);
	ring_put_fork(&ring, CHILD, WANTED, 0);
	fl_perf_events_away(&events, is_seven, NULL);
	ring_put_fork(&ring, GRANDCHILD, CHILD, 0);
	for (unsigned i = 0; i < SAMPLES; i++)
		ring_put_sample(&ring, pids[i % 4], i);
	fl_perf_events_back(&events);
	cr_expect(ring.spilled.data);
	cr_expect_lt(ring.spilled.used, SAMPLES * (size_t)SAMPLE / 4);
	fl_perf_events_refresh(&events);
	while (fl_perf_events_next(&events, &e)) {
		cr_assert_gt(e.key, last);
		last = e.key;
		if (e.kind == FL_EVENT_SAMPLE)
			expect_sample(&e, n++);
	}
	cr_expect_eq(n, SAMPLES);
	cr_expect_null(ring.spilled.data);
	cr_expect_eq(ring_page.data_tail, ring_page.data_head);
	fl_map_free(&events.born);
	fl_free(events.copy);
	fl_free(ring.data);
}

Test(records, of_switches_tell_the_thread_and_whether_it_would_go_on)
{
	struct bytes b = { .size = sizeof(struct perf_event_header) };
	struct fl_event e;

	put32(&b, 20);
	put32(&b, 21);
	put64(&b, 79);
	put64(&b, 1);
	finish(&b, PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT |
	       PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	cr_assert(fl_perf_event_parse(b.at, b.size, &e));
	cr_expect_eq(e.kind, FL_EVENT_SWITCH_OUT);
	cr_expect(e.preempted);
	cr_expect_eq(e.pid, 20);
	cr_expect_eq(e.tid, 21);
	cr_expect_eq(e.time, 79);
	finish(&b, PERF_RECORD_SWITCH, 0);
	cr_assert(fl_perf_event_parse(b.at, b.size, &e));
	cr_expect_eq(e.kind, FL_EVENT_SWITCH_IN);
	cr_expect(!e.preempted);
}

/* Threads that wait ------------------------------------------------------- */

static struct fl_blocked blocked;

Test(blocked, kernel_frames_are_names_without_offsets)
{
	struct slice name;
	size_t at = 0;

	strcpy(blocked.text, "[<0>] hrtimer_nanosleep+0x74/0xf0\n"
	       "[<0>] ride+0x1/0x2 [horse]\nodd\n[<0>] cut");
	cr_assert(fl_blocked_kernel(&blocked, &at, &name));
	cr_expect(fl_slice_is(name, "hrtimer_nanosleep"));
	cr_assert(fl_blocked_kernel(&blocked, &at, &name));
	cr_expect(fl_slice_is(name, "ride"));
	cr_assert(fl_blocked_kernel(&blocked, &at, &name));
	cr_expect_eq(name.size, 0);
	cr_expect(!fl_blocked_kernel(&blocked, &at, &name));
}

/* On a busy machine a child may have no CPU for a while. */
static void wait_until_it_sleeps(pid_t pid)
{
	char path[32], state = 'R';

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (unsigned i = 0; i < 12000 && state != 'S'; i++) {
		FILE *f = fopen(path, "r");

		cr_assert_not_null(f);
		cr_assert_eq(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
		fclose(f);
		usleep(5000);
	}
}

Test(blocked, child_that_waits_has_a_stack_and_then_the_same)
{
	uint64_t turns = 0;
	pid_t child = fork();
	enum fl_look look;

	if (child == 0) {
		pause();
		_exit(0);
	}
	wait_until_it_sleeps(child);
	cr_assert(fl_blocked_init(&blocked, 4096, false));
	look = fl_blocked_look(&blocked, child, child, &turns);
	if (look == FL_LOOK_UNKNOWN)
		goto done;	/* not permitted here */
	cr_assert_eq(look, FL_LOOK_BLOCKED);
	cr_expect_gt(blocked.stack.size, 0);
	cr_expect_eq(blocked.stack.start, blocked.regs.value[FL_REG_SP]);
	if (turns)
		cr_expect_eq(fl_blocked_look(&blocked, child, child, &turns),
			     FL_LOOK_SAME);
done:
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	turns = 0;
	cr_expect_neq(fl_blocked_look(&blocked, child, child, &turns),
		      FL_LOOK_BLOCKED);
	fl_blocked_free(&blocked);
}

/* Call frame information -------------------------------------------------- */

static const uint8_t frames[] = {
	/* CIE: version 1, "zR", code 1, data -8, return register 16 */
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b,
	0x0c, 7, 8,		/* def_cfa: sp + 8 */
	0x90, 1,		/* offset: the return address at cfa - 8 */
	0, 0,
	/* FDE: 0x100 bytes from 0x2000 on */
	24, 0, 0, 0, 28, 0, 0, 0, 0xe0, 0x0f, 0, 0, 0, 1, 0, 0, 0,
	0x41,			/* advance 1: push %rbp */
	0x0e, 16, 0x86, 2,	/* def_cfa_offset, offset rbp */
	0x43,			/* advance 3: mov %rsp, %rbp */
	0x0d, 6,		/* def_cfa_register */
	0, 0, 0,
	0, 0, 0, 0
};

static void *copy_frames(size_t size)
{
	void *copy = fl_alloc(size + 1);

	cr_assert(copy);
	return memcpy(copy, frames, size);
}

Test(cfi, rows_follow_the_instructions)
{
	struct fl_cfi cfi;
	struct fl_cfi_row row;

	cr_assert(fl_cfi_init(&cfi, copy_frames(sizeof(frames)),
			      sizeof(frames), 0x1000));
	cr_assert_eq(cfi.nranges, 1);
	cr_expect_eq(cfi.ranges[0].start, 0x2000);
	cr_expect_eq(cfi.ranges[0].end, 0x2100);
	cr_expect(!fl_cfi_row_at(&cfi, 0x1fff, &row));
	cr_expect(!fl_cfi_row_at(&cfi, 0x2100, &row));
	cr_assert(fl_cfi_row_at(&cfi, 0x2000, &row));
	cr_expect_eq(row.cfa_register, FL_REG_SP);
	cr_expect_eq(row.cfa, 8);
	cr_expect_eq(row.rule[FL_REG_BP], FL_RULE_SAME);
	cr_assert(fl_cfi_row_at(&cfi, 0x2001, &row));
	cr_expect_eq(row.cfa, 16);
	cr_expect_eq(row.rule[FL_REG_BP], FL_RULE_OFFSET);
	cr_expect_eq(row.value[FL_REG_BP], -16);
	cr_assert(fl_cfi_row_at(&cfi, 0x20ff, &row));
	cr_expect_eq(row.cfa_register, FL_REG_BP);
	cr_expect_eq(row.value[FL_REG_IP], -8);
	fl_cfi_free(&cfi);
}

Test(cfi, that_is_damaged_is_refused_or_left_out)
{
	for (size_t i = 0; i < sizeof(frames); i++)
		for (unsigned flip = 1; flip < 256; flip <<= 1) {
			struct fl_cfi cfi;
			struct fl_cfi_row row;
			uint8_t *copy = copy_frames(sizeof(frames));

			copy[i] ^= (uint8_t)flip;
			cr_assert(fl_cfi_init(&cfi, copy, sizeof(frames),
					      0x1000));
			for (size_t k = 0; k < cfi.nranges; k++)
				fl_cfi_row_at(&cfi, cfi.ranges[k].start + 5,
					      &row);
			fl_cfi_free(&cfi);
		}
}

Test(cfi, augmentation_that_never_ends_is_refused)
{
	enum { LONG = 200, AT = 9 };
	struct fl_cfi cfi;
	uint8_t *copy = fl_zeroed(1, sizeof(frames) + LONG + 1);
	uint32_t size, back;

	/* "zR" becomes "zzz...zR" */
	cr_assert(copy);
	memcpy(copy, frames, AT);
	memset(copy + AT, 'z', LONG);
	memcpy(copy + AT + LONG, frames + AT, sizeof(frames) - AT);
	memcpy(&size, frames, sizeof(size));
	memcpy(&back, frames + size + 8, sizeof(back));
	size += LONG;
	back += LONG;
	memcpy(copy, &size, sizeof(size));
	memcpy(copy + size + 8, &back, sizeof(back));
	cr_assert(fl_cfi_init(&cfi, copy, sizeof(frames) + LONG, 0x1000));
	cr_expect_eq(cfi.nranges, 0);
	fl_cfi_free(&cfi);
}

Test(cfi, a_register_is_read_once)
{
	/* register: rbx is in r12; def_cfa_offset 16 */
	static const uint8_t program[] = { 0x09, 3, 12, 0x0e, 16 };
	struct fl_cfi cfi;
	struct fl_cfi_row row;
	uint8_t *copy = copy_frames(sizeof(frames));

	memcpy(copy + 41, program, sizeof(program));
	memset(copy + 41 + sizeof(program), 0, 3);
	cr_assert(fl_cfi_init(&cfi, copy, sizeof(frames), 0x1000));
	cr_assert(fl_cfi_row_at(&cfi, 0x2000, &row));
	cr_expect_eq(row.rule[FL_REG_BX], FL_RULE_REGISTER);
	cr_expect_eq(row.value[FL_REG_BX], 12);
	cr_expect_eq(row.cfa, 16);
	fl_cfi_free(&cfi);
}

/* An offset alone, where the CFA is an expression, would be its place. */
Test(cfi, offset_without_a_register_is_refused)
{
	static const uint8_t programs[][4] = {
		{ 0x0f, 0, 0x0e, 16 },		/* def_cfa_offset */
		{ 0x0f, 0, 0x0d, 6 },		/* def_cfa_register */
		{ 0x0f, 0, 0x13, 16 },		/* def_cfa_offset_sf */
	};

	for (size_t i = 0; i < FL_COUNT(programs); i++) {
		struct fl_cfi cfi;
		struct fl_cfi_row row;
		uint8_t *copy = copy_frames(sizeof(frames));

		memcpy(copy + 41, programs[i], sizeof(programs[i]));
		cr_assert(fl_cfi_init(&cfi, copy, sizeof(frames), 0x1000));
		cr_assert_eq(cfi.nranges, 1);
		cr_expect(!fl_cfi_row_at(&cfi, 0x2000, &row));
		fl_cfi_free(&cfi);
	}
}

/* By .eh_frame_hdr, page by page, of this very program. */
Test(cfi, of_a_file_is_the_same_as_of_its_bytes)
{
	struct fl_elf *elf = fl_elf_open(open("/proc/self/exe", O_RDONLY));
	const struct fl_elf_section *section;
	struct fl_cfi cfi, file;
	size_t pages = 0;

	cr_assert(elf);
	section = fl_elf_section(elf, ".eh_frame");
	cr_assert(fl_cfi_open(&file, elf));
	cr_assert(fl_cfi_init(&cfi, fl_elf_copy(elf, section), section->size,
			      section->address));
	cr_assert_gt(cfi.nranges, 1000);
	for (size_t i = cfi.nranges; i--;) {
		const struct fl_cfi_range *wanted = &cfi.ranges[i], *found;

		for (uint64_t at = wanted->start; at < wanted->end; at += 7) {
			struct fl_cfi_row a, b;
			bool known = fl_cfi_row_at(&cfi, at, &a);

			found = fl_cfi_range_at(&file, at);
			cr_assert(found);
			cr_assert_eq(found->start, wanted->start);
			cr_assert_eq(found->end, wanted->end);
			cr_assert_eq(fl_cfi_row_at(&file, at, &b), known);
			cr_assert(!known || memcmp(&a, &b, sizeof(a)) == 0);
		}
		if (i == cfi.nranges - 1)
			for (size_t k = 0; k <= file.size / 4096; k++)
				pages += file.file->pages[k];
	}
	cr_expect_leq(pages, 4);	/* of an entry, and of what it refers to */
	cr_expect_null(fl_cfi_range_at(&file, 0));
	cr_expect_null(fl_cfi_range_at(&file, UINT64_MAX));
	fl_cfi_free(&cfi);
	fl_cfi_free(&file);
	fl_elf_close(elf);
}

/* Unwinding ----------------------------------------------------------------- */

static uint8_t stack_copy[65536];

/* This thread's stack, read as from outside. */
static size_t copy_stack(uint64_t sp, size_t size)
{
	int fd = open("/proc/self/mem", O_RDONLY);
	size_t n = 0;

	while (fd >= 0 && n < size) {
		ssize_t k = pread(fd, stack_copy + n,
				  FL_MIN(size - n, (size_t)4096),
				  (off_t)(sp + n));

		if (k <= 0)
			break;
		n += (size_t)k;
	}
	close(fd);
	return n;
}

static void from_context(struct fl_regs *regs, const ucontext_t *context)
{
#if FL_IS_ARM64
	memcpy(regs->value, context->uc_mcontext.regs,
	       sizeof(context->uc_mcontext.regs));
	regs->value[FL_REG_SP] = context->uc_mcontext.sp;
	regs->value[FL_REG_IP] = context->uc_mcontext.pc;
#else
	static const int order[FL_REGS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP,
		REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13,
		REG_R14, REG_R15, REG_RIP
	};

	for (unsigned i = 0; i < FL_REGS; i++)
		regs->value[i] =
			(uint64_t)context->uc_mcontext.gregs[order[i]];
#endif
	regs->known = FL_KNOWN(FL_REGS) - 1;
}

static __attribute__((noinline)) enum fl_stack_end
unwind_me(struct fl_unwinder *unwinder, size_t size)
{
	struct fl_stack_bytes bytes = { stack_copy, 0, 0, true };
	struct fl_process *p = fl_process_get(&processes, getpid());
	struct fl_regs regs;
	ucontext_t context;
	enum fl_stack_end end;

	getcontext(&context);
	from_context(&regs, &context);
	bytes.start = regs.value[FL_REG_SP];
	bytes.size = copy_stack(bytes.start, size);
	end = fl_unwind(unwinder, p, &regs, &bytes);
	__asm__ volatile("" : : "r"(&regs) : "memory");
	return end;
}

__attribute__((noinline)) enum fl_stack_end
middle_of_stack(struct fl_unwinder *unwinder, size_t size);
enum fl_stack_end middle_of_stack(struct fl_unwinder *unwinder, size_t size)
{
	enum fl_stack_end end = unwind_me(unwinder, size);

	__asm__ volatile("" : : : "memory");
	return end;
}

static bool has_frame(const struct fl_unwinder *unwinder, const char *name)
{
	for (size_t i = 0; i < unwinder->nframes; i++) {
		const struct flame_frame *frame =
			flame_frame_of(flame, unwinder->frames[i]);

		if (strcmp(flame_name_text(flame, frame->name, NULL), name)
		    == 0)
			return true;
	}
	return false;
}

Test(unwinding, finds_the_callers_of_this_test, .init = start, .fini = stop)
{
	struct fl_unwinder unwinder = { .processes = &processes };
	enum fl_stack_end end = middle_of_stack(&unwinder, sizeof(stack_copy));

	cr_expect(has_frame(&unwinder, "unwind_me"));
	cr_expect(has_frame(&unwinder, "middle_of_stack"));
	/* The framework starts tests without main. */
	cr_expect_gt(unwinder.nframes, 3);
	cr_expect_eq(end, FL_STACK_WHOLE);
	fl_unwinder_free(&unwinder);
}

Test(unwinding, says_where_the_copy_of_the_stack_ends, .init = start,
     .fini = stop)
{
	struct fl_unwinder unwinder = { .processes = &processes };

	cr_expect_eq(middle_of_stack(&unwinder, 64), FL_STACK_TRUNCATED);
	cr_expect_eq(unwinder.nframes, 1);
	fl_unwinder_free(&unwinder);
}

/* As perf prints them: c++filt -p says the same. */
Test(names, plain_ones_have_no_parameters)
{
	static const char *const all[][2] = {
		{ "_ZN2v88internal9Execution4CallEPNS0_7IsolateE",
		  "v8::internal::Execution::Call" },
		{ "_ZN12_GLOBAL__N_11fEi", "(anonymous namespace)::f" },
		{ "_ZNK1a1fIiEEvi", "a::f<int>" },
		{ "_Z1fPFviE", "f" },
		{ "_ZN1acvbEv", "a::operator bool" },
		{ "_ZN1aclEi", "a::operator()" },
		{ "_ZTV1a", "vtable for a" },
		{ "_ZZNK1a1fEvENKUliE_clEi",
		  "a::f() const::{lambda(int)#1}::operator()" },
	};
	struct fl_buf buf = { 0 };

	for (size_t i = 0; i < FL_COUNT(all); i++) {
		buf.size = 0;
		cr_expect(fl_plain_name(&buf, all[i][0]));
		cr_expect_eq(buf.size, strlen(all[i][1]), "%.*s",
			     (int)buf.size, buf.data);
		cr_expect_eq(memcmp(buf.data, all[i][1], buf.size), 0);
	}
	cr_expect_not(fl_plain_name(&buf, "main"));
	fl_buf_free(&buf);
}

/* Its note is in a section of another name than that of files. */
Test(elf, the_build_id_of_the_vdso_is_known)
{
	struct fl_elf *elf = fl_elf_vdso();

	cr_expect(!elf || elf->build_id_size >= 16);
	fl_elf_close(elf);
}

/* By jitdump-specification.txt of perf: a header, then records. */
Test(symbols, of_jitdumps_are_those_of_whole_records)
{
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
		uint32_t id, record_size;
		uint64_t when;
		uint32_t pids[2];
		uint64_t vma, address, code_size, index;
		char name[8];
		uint8_t code[16];
	} dump = {
		.magic = 0x4a695444, .version = 1, .size = 40,
		.record_size = 80, .address = 0x1000, .code_size = 16,
		.name = "fib",
	};

	cr_assert_eq(offsetof(__typeof__(dump), id), 40);
	for (size_t size = 0; size <= 120; size++) {
		struct fl_symbols s = { 0 };
		char *copy = fl_alloc(size + 1);

		memcpy(copy, &dump, size);
		cr_assert(fl_jitdump_symbols(&s, copy, size));
		cr_expect_eq(s.count, size == 120, "%zu", size);
		if (s.count)
			cr_expect_str_eq(fl_symbols_at(&s, 0x100f)->name,
					 "fib");
		fl_symbols_free(&s);
	}
}
