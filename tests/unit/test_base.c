/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base room: memory, numbers, hashing, UTF-8, regular expressions,
 * sorting, libraries that are opened late.
 */
#include "fl.h"

#include "base/block.h"
#include "base/dense.h"
#include "base/late.h"
#include "base/sort.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* The system ---------------------------------------------------------- */

Test(os, the_last_of_a_byte_is_found)
{
	static const char text[] = "a/b/c";

	cr_expect_eq(fl_os_memrchr(text, '/', 5), text + 3);
	cr_expect_eq(fl_os_memrchr(text, '/', 3), text + 1);
	cr_expect_eq(fl_os_memrchr(text, '/', 1), NULL);
	cr_expect_eq(fl_os_memrchr(text, 'a', 0), NULL);
}

/* Sorting ------------------------------------------------------------- */

struct numbered {
	uint32_t key, number;
};

static int by_key(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Sorts, and looks at order, at that of equal ones, and for lost ones. */
static void check_sorted(struct numbered *list, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		list[i].number = i;
	fl_sort_nearly(list, n, sizeof(*list), by_key);
	for (uint32_t i = 0; i < n; i++) {
		sum += list[i].number;
		cr_expect(!i || list[i - 1].key < list[i].key ||
			  (list[i - 1].key == list[i].key &&
			   list[i - 1].number < list[i].number),
			  "%u of %u", i, n);
	}
	cr_expect_eq(sum, (uint64_t)n * (n - (n > 0)) / 2);
}

Test(sorting, any_order_is_sorted_and_equal_ones_keep_theirs)
{
	enum { MOST = 1000 };
	static struct numbered list[MOST];
	uint32_t random = 1;

	for (uint32_t n = 0; n <= MOST; n = n < 20 ? n + 1 : n * 7) {
		for (uint32_t runs = 1; runs <= 40; runs += 13) {
			for (uint32_t i = 0; i < n; i++)
				list[i].key = i % (n / runs + 1);
			check_sorted(list, n);
		}
		for (uint32_t i = 0; i < n; i++)
			list[i].key = n - i;
		check_sorted(list, n);
		for (uint32_t i = 0; i < n; i++)
			list[i].key = (random = random * 1103515245 + 12345)
				      >> 24;
		check_sorted(list, n);
	}
}

/* Slices -------------------------------------------------------------- */

Test(slices, a_text_is_found_where_it_is_first)
{
	const struct slice s = FL_SLICE("a::b:::c\0::");

	cr_expect_eq(fl_slice_find(s, "::"), s.data + 1);
	cr_expect_eq(fl_slice_find(s, ":::"), s.data + 4);
	cr_expect_eq(fl_slice_find(s, "b"), s.data + 3);
	cr_expect_eq(fl_slice_find(s, "::::"), NULL);
	cr_expect(fl_slice_has((struct slice){ s.data + 8, 3 }, "::"));
	cr_expect_not(fl_slice_has((struct slice){ s.data, 2 }, "::"));
	cr_expect_not(fl_slice_has((struct slice){ NULL, 0 }, ":"));
}

/* Nearest ------------------------------------------------------------- */

static const char *nearest(const char *wanted)
{
	static const char *const names[] = {
		"cpu", "wall", "alloc", "alloc-sample", "title", "width",
		"TaskRunner.run", "Attach Listener"
	};

	return flame_nearest(wanted, names, FL_COUNT(names));
}

Test(nearest, a_mistyped_name_is_known_again)
{
	cr_expect_str_eq(nearest("CPU"), "cpu");
	cr_expect_str_eq(nearest("cpuu"), "cpu");
	cr_expect_str_eq(nearest("titel"), "title");
	cr_expect_str_eq(nearest("widht"), "width");
	cr_expect_str_eq(nearest("aloc"), "alloc");
	cr_expect_str_eq(nearest("TaskRuner"), "TaskRunner.run");
	cr_expect_str_eq(nearest("atach"), "Attach Listener");
}

Test(nearest, what_is_far_or_empty_is_no_name)
{
	char long_name[1000];

	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	cr_expect_eq(nearest("nosuch"), NULL);
	cr_expect_eq(nearest(""), NULL);
	cr_expect_eq(nearest("x"), NULL);
	cr_expect_eq(nearest(long_name), NULL);
	cr_expect_eq(flame_nearest("cpu", NULL, 0), NULL);
}

/* Memory -------------------------------------------------------------- */

Test(memory, arrays_grow_and_keep_what_they_hold)
{
	uint32_t *at = NULL;
	size_t room = 0, i;

	for (i = 0; i < 10000; i++) {
		cr_assert(fl_grow(&at, &room, i + 1, sizeof(*at)));
		at[i] = (uint32_t)i;
	}
	for (i = 0; i < 10000; i++)
		cr_assert_eq(at[i], i);
	free(at);
}

Test(memory, a_size_that_does_not_fit_is_refused)
{
	uint64_t *at = NULL;
	size_t room = 0;
	struct fl_arena arena = { 0 };

	cr_assert_not(fl_grow(&at, &room, SIZE_MAX / 4, sizeof(*at)));
	cr_assert_null(at);
	cr_assert_eq(room, 0);
	cr_assert_null(fl_arena_alloc(&arena, SIZE_MAX));
	cr_assert_null(fl_arena_alloc(&arena, SIZE_MAX - 16));
	cr_assert_null(fl_arena_copy(&arena, "", SIZE_MAX));
	cr_assert_eq(arena.total, 0);
}

Test(memory, growth_beyond_the_limit_is_refused)
{
	size_t room = 0, left;
	char *at = NULL, *other;

	fl_memory_limit(1 << 20);
	left = fl_memory_left();
	cr_assert(fl_grow(&at, &room, 700000, 1));
	cr_expect_leq(fl_memory_left(), left - 700000);
	cr_expect_null(fl_alloc(700000));
	cr_expect_eq(fl_memory_refused(), 1 << 20);
	cr_expect_null(fl_zeroed(7000, 100));
	cr_expect_not(fl_grow(&at, &room, room + 1, 1));
	cr_expect_eq(room, 700000, "it is as it was");
	fl_free(at);
	cr_expect_eq(fl_memory_left(), left, "what is free may be had again");
	other = fl_zeroed(7000, 100);
	cr_expect_not_null(other);
	fl_free(other);
	fl_free(NULL);
	fl_memory_limit(0);
	cr_expect_eq(fl_memory_left(), SIZE_MAX);
	cr_expect_eq(fl_memory_refused(), 0);
}

Test(memory, what_grows_and_goes_leaves_nothing_in_the_account)
{
	struct fl_arena arena = { 0 };
	struct fl_buf buf = { 0 };
	struct fl_map map = { 0 };
	size_t left;

	fl_memory_limit(1 << 30);
	left = fl_memory_left();
	for (unsigned i = 0; i < 100000; i++) {
		cr_assert(fl_arena_alloc(&arena, i % 5000));
		cr_assert(fl_map_put(&map, i, NULL));
		fl_buf_number(&buf, i);
	}
	cr_expect_lt(fl_memory_left(), left - (200 << 20));
	fl_arena_free(&arena);
	fl_map_free(&map);
	fl_buf_free(&buf);
	cr_expect_eq(fl_memory_left(), left);
}

Test(memory, what_others_gave_is_in_the_account)
{
	char text[5000] = "", *own;
	size_t left;

	fl_memory_limit(1 << 20);
	left = fl_memory_left();
	memset(text, 'x', sizeof(text) - 1);
	own = fl_memory_adopt(strdup(text));
	cr_assert_str_eq(own, text);
	cr_expect_leq(fl_memory_left(), left - sizeof(text));
	fl_free(own);
	cr_expect_eq(fl_memory_left(), left);
	cr_expect_null(fl_memory_adopt(NULL));
}

Test(memory, arena_blocks_are_aligned_and_apart)
{
	struct fl_arena arena = { 0 };
	char *at[3000];
	size_t i;

	for (i = 0; i < 3000; i++) {
		size_t size = i % 500 == 7 ? 5000 : i % 37;

		at[i] = fl_arena_alloc(&arena, size);
		cr_assert_not_null(at[i]);
		cr_assert_eq((uintptr_t)at[i] % 8, 0);
		memset(at[i], (int)(i % 251), size);
	}
	for (i = 0; i < 3000; i++)
		if (i % 37)
			cr_assert_eq((unsigned char)at[i][0], i % 251);
	cr_assert_lt(arena.total, 256u << 10);
	fl_arena_free(&arena);
	cr_assert_eq(arena.total, 0);
}

Test(memory, copies_end_in_nul)
{
	struct fl_arena arena = { 0 };

	cr_assert_str_eq(fl_arena_copy(&arena, "abcdef", 3), "abc");
	cr_assert_str_eq(fl_arena_copy(&arena, NULL, 0), "");
	fl_arena_free(&arena);
}

Test(memory, text_grows_and_ends_in_nul)
{
	struct fl_buf buf = { 0 };
	int i;

	fl_buf_put(&buf, NULL, 0);
	cr_assert_str_eq(buf.data, "");
	fl_buf_text(&buf, "n=");
	fl_buf_number(&buf, INT64_MIN);
	fl_buf_byte(&buf, ' ');
	fl_buf_number(&buf, 0);
	fl_buf_print(&buf, " %s:%03d", "x", 7);
	cr_assert_str_eq(buf.data, "n=-9223372036854775808 0 x:007");
	for (i = 0; i < 1000; i++)
		fl_buf_byte(&buf, '.');
	cr_assert_eq(buf.size, 1030);
	cr_assert_eq(strlen(buf.data), 1030);
	cr_assert_not(buf.failed);
	fl_buf_free(&buf);
	cr_assert_null(buf.data);
}

/* Numbers ------------------------------------------------------------- */

static bool parse(const char *text, int64_t *n)
{
	return fl_parse_int((struct slice){ text, strlen(text) }, n);
}

Test(clamped, is_the_nearest_that_there_is)
{
	cr_expect_eq(fl_int64(1e300), INT64_MAX);
	cr_expect_eq(fl_int64(-1e300), INT64_MIN);
	cr_expect_eq(fl_int64(0x1p63), INT64_MAX);
	cr_expect_eq(fl_int64(-0x1p63), INT64_MIN);
	cr_expect_eq(fl_int64(0.0 / 0.0), 0);
	cr_expect_eq(fl_int64(-2.9), -2);
	cr_expect_eq(fl_add_clamped(INT64_MAX, 1), INT64_MAX);
	cr_expect_eq(fl_add_clamped(INT64_MIN, -1), INT64_MIN);
	cr_expect_eq(fl_add_clamped(INT64_MIN, 1), INT64_MIN + 1);
	cr_expect_eq(fl_mul_clamped(INT64_MIN, -1), INT64_MAX);
	cr_expect_eq(fl_mul_clamped(INT64_MAX, -2), INT64_MIN);
	cr_expect_eq(fl_mul_clamped(-3, 4), -12);
}

Test(numbers, all_of_the_text_is_the_number)
{
	static const char *const bad[] = {
		"", "-", "+1", " 1", "1 ", "1.0", "0x1", "1e3", "--1",
		"9223372036854775808", "-9223372036854775809",
		"18446744073709551617", "99999999999999999999",
	};
	int64_t n = 77;
	size_t i;

	for (i = 0; i < FL_COUNT(bad); i++)
		cr_assert_not(parse(bad[i], &n), "%s", bad[i]);
	cr_assert_eq(n, 77);
	cr_assert(parse("0", &n) && n == 0);
	cr_assert(parse("-0", &n) && n == 0);
	cr_assert(parse("007", &n) && n == 7);
	cr_assert(parse("-12", &n) && n == -12);
	cr_assert(parse("9223372036854775807", &n) && n == INT64_MAX);
	cr_assert(parse("-9223372036854775808", &n) && n == INT64_MIN);
}

Test(numbers, digits_are_those_of_printf)
{
	uint64_t n = 1;
	char at[24], other[24];
	int i;

	for (i = 0; i < 64; i++, n = 3 * n + (uint64_t)i) {
		at[fl_format_u64(at, n)] = '\0';
		snprintf(other, sizeof(other), "%llu",
			 (unsigned long long)n);
		cr_assert_str_eq(at, other);
	}
	cr_assert_eq(fl_format_u64(at, UINT64_MAX), 20);
	cr_assert_eq(fl_format_u64(at, 0), 1);
}

Test(numbers, doubles_are_decimal_and_finite)
{
	static const char *const bad[] = {
		"", ".", "-", "e3", "1e", "1e+", "inf", "nan", "0x1p3",
		" 1", "1 ", "1e999", "1,5", "1.2.3",
	};
	double d = 7;
	size_t i;

	setlocale(LC_ALL, "");
	for (i = 0; i < FL_COUNT(bad); i++)
		cr_assert_not(fl_parse_double(bad[i], &d), "%s", bad[i]);
	cr_assert(fl_parse_double("3.5", &d) && d == 3.5);
	cr_assert(fl_parse_double("12e3", &d) && d == 12000);
	cr_assert(fl_parse_double("-.5E-1", &d) && d == -0.05);
	cr_assert(fl_parse_double("2.", &d) && d == 2);
}

/* Hashing ------------------------------------------------------------- */

Test(hashes, every_byte_and_the_size_matter)
{
	unsigned char at[80] = { 0 };
	size_t size, i;

	for (size = 0; size < sizeof(at); size++) {
		uint64_t h = fl_hash(at, size);

		cr_assert_neq(h, fl_hash(at, size + 1));
		for (i = 0; i < size; i++) {
			at[i] ^= 1;
			cr_assert_neq(h, fl_hash(at, size));
			at[i] ^= 1;
		}
		cr_assert_eq(h, fl_hash(at, size));
	}
}

Test(hashes, a_factor_of_zero_swallows_nothing)
{
	uint64_t pair[2] = { 0x9e3779b97f4a7c15u ^ 16, 1 }, h;

	h = fl_hash(pair, sizeof(pair));
	pair[1] = 2;
	cr_assert_neq(h, fl_hash(pair, sizeof(pair)));
}

static uint32_t find(struct fl_index *x, const uint64_t *keys, uint64_t key)
{
	uint32_t i, id;

	for (i = fl_index_first(x, fl_hash(&key, 8));
	     (id = fl_index_next(x, fl_hash(&key, 8), &i));)
		if (keys[id] == key)
			break;
	return id;
}

Test(hashes, an_index_finds_what_was_added_and_nothing_else)
{
	enum { N = 100000 };
	static uint64_t keys[N + 1];
	struct fl_index x = { 0 };
	uint32_t id;

	for (id = 1; id <= N; id++) {
		keys[id] = id * 1000003ull;
		cr_assert_eq(find(&x, keys, keys[id]), 0);
		cr_assert(fl_index_add(&x, fl_hash(&keys[id], 8), id));
	}
	for (id = 1; id <= N; id++)
		cr_assert_eq(find(&x, keys, keys[id]), id);
	cr_assert_eq(x.count, N);
	cr_assert_eq(find(&x, keys, 5), 0);
	fl_index_free(&x);
	cr_assert_eq(find(&x, keys, keys[1]), 0);
}

Test(hashes, equal_hashes_are_all_offered)
{
	struct fl_index x = { 0 };
	uint32_t i, id, seen = 0;

	for (id = 1; id <= 100; id++)
		fl_index_add(&x, 42, id);
	for (i = fl_index_first(&x, 42); (id = fl_index_next(&x, 42, &i));)
		seen += id;
	cr_assert_eq(seen, 5050);
	fl_index_free(&x);
}

/* Each byte alone, at each place among others that are as they should be. */
Test(blocks, every_byte_is_seen_wherever_it_is)
{
	char text[4 * FL_BLOCK_SIZE];

	for (int c = 0; c < 256; c++) {
		bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');

		for (unsigned i = 0; i < sizeof(text); i++) {
			unsigned bit = 1u << i % FL_BLOCK_SIZE;
			const char *block = text + i - i % FL_BLOCK_SIZE;

			memset(text, '~', sizeof(text));
			text[i] = (char)c;
			cr_assert_eq(fl_block_ascii4(text, '\t'),
				     c >= '\t' && c < 0x80, "%d", c);
			cr_assert_eq(fl_block_hex(block), hex ? bit : 0);
			cr_assert_eq(fl_block_is(block, (char)c),
				     c == '~' ? (unsigned)FL_BLOCK_ALL : bit);
		}
	}
}

/* Steps from the first slot of a key to its own, a key. */
static double mean_probes(const struct fl_map *map)
{
	size_t probes = 0;

	for (size_t i = 0; i <= map->mask; i++)
		if (map->entry[i].key)
			probes += (i - fl_map_first(map, map->entry[i].key)) &
				  map->mask;
	return (double)probes / (double)map->count;
}

/* Ids, addresses of methods, and pairs, which a file has one after another. */
Test(map, chains_of_keys_do_not_cluster_whatever_the_secret)
{
	for (uint64_t n = 1; n <= 300; n++) {
		fl_hash_secret[0] = fl_fold_product(n, 0x9e3779b97f4a7c15);
		fl_hash_secret[1] = fl_fold_product(n, 0xbf58476d1ce4e5b9);
		for (int kind = 0; kind < 3; kind++) {
			struct fl_map map = { 0 };

			for (uint64_t i = 0; i < 5000; i++)
				cr_assert(fl_map_put(&map, 1 + (kind == 0 ? i :
					kind == 1 ? 0x7f0000000000 + 16 * i :
					i / 64 * 977 << 32 | i % 64), NULL));
			cr_expect_lt(mean_probes(&map), 1.2);
			fl_map_free(&map);
		}
	}
}

Test(maps, any_key_has_one_value)
{
	struct fl_map map = { 0 };
	uint64_t key, *value, sum = 0;
	const struct fl_map_entry *e;
	size_t i = 0, n = 0;
	bool fresh;

	cr_assert_null(fl_map_get(&map, 0));
	cr_assert_null(fl_map_get(&map, 1));
	for (key = 0; key < 50000; key++) {
		value = fl_map_put(&map, key << 32, &fresh);
		cr_assert(fresh && *value == 0);
		*value = key + 1;
	}
	for (key = 0; key < 50000; key++) {
		cr_assert_eq(*fl_map_get(&map, key << 32), key + 1);
		value = fl_map_put(&map, key << 32, &fresh);
		cr_assert(!fresh && *value == key + 1);
	}
	cr_assert_null(fl_map_get(&map, 1));
	cr_assert_eq(map.count, 50000);
	while ((e = fl_map_each(&map, &i))) {
		cr_assert_eq(e->key >> 32, e->value - 1);
		sum += e->value;
		n++;
	}
	cr_assert_eq(n, 50000);
	cr_assert_eq(sum, 50000ull * 50001 / 2);
	fl_map_clear(&map);
	i = 0;
	cr_assert_null(fl_map_each(&map, &i));
	cr_assert_null(fl_map_get(&map, 0));
	cr_assert_null(fl_map_get(&map, 1ull << 32));
	cr_assert_not_null(fl_map_put(&map, 0, NULL));
	cr_assert_eq(map.count, 1);
	i = 0;
	cr_assert_not_null(fl_map_each(&map, &i));
	cr_assert_null(fl_map_each(&map, &i));
	fl_map_free(&map);
}

/* The cost of a clear is that of the keys put since the last one. */
Test(maps, of_few_keys_become_small_when_they_are_cleared)
{
	struct fl_map map = { 0 };

	for (uint64_t key = 1; key <= 100000; key++)
		fl_map_put(&map, key, NULL);
	fl_map_clear(&map);
	cr_assert_geq(map.mask, 100000);
	for (int i = 0; i < 2; i++) {
		cr_assert_null(fl_map_get(&map, 7));
		*fl_map_put(&map, 7, NULL) = 1;
		cr_assert_eq(*fl_map_get(&map, 7), 1);
		fl_map_clear(&map);
		cr_assert_lt(map.mask, 4096);
	}
	fl_map_free(&map);
}

/* Keys whose first place in a map with the salt is below `n`, of 64 k. */
static size_t find_near(uint64_t *keys, size_t n, uint64_t salt,
			uint64_t factor)
{
	size_t found = 0;

	for (uint64_t key = 1; found < n; key++)
		if ((fl_fold_product(key ^ salt, factor) & 0xffff) < n / 8)
			keys[found++] = key;
	return found;
}

Test(maps, keys_that_were_written_to_collide_are_found_at_once)
{
	static uint64_t keys[8000];
	struct fl_map map = { .ordered = true };
	const struct fl_map_entry *e;
	uint64_t salt, factor;
	size_t i = 0, n = 0;

	fl_hash_secret_init();
	cr_assert(fl_map_reserve(&map, 30000));
	salt = map.salt;
	factor = map.factor;
	cr_assert_eq(map.mask, 0xffff);
	find_near(keys, FL_COUNT(keys), salt, factor);
	for (i = 0; i < FL_COUNT(keys); i++)
		cr_assert(fl_map_put(&map, keys[i], NULL));
	/* The salt was the well-known one, and changed. */
	cr_expect_not(map.ordered);
	cr_expect_neq(map.salt, salt);
	for (i = 0; i < FL_COUNT(keys); i++)
		cr_assert(fl_map_get(&map, keys[i]));
	for (i = 0; (e = fl_map_each(&map, &i));)
		n++;
	cr_expect_eq(n, FL_COUNT(keys));
	fl_map_free(&map);
}

Test(maps, what_is_walked_is_walked_alike_in_all_runs)
{
	static const uint64_t keys[] = { 7, 1ull << 40, 3, 99, 12345678 };
	struct fl_map map = { .ordered = true };
	const struct fl_map_entry *e;
	uint64_t order = 0;
	size_t i;

	fl_hash_secret_init();
	for (i = 0; i < FL_COUNT(keys); i++)
		cr_assert(fl_map_put(&map, keys[i], NULL));
	for (i = 0; (e = fl_map_each(&map, &i));)
		order = order * 31 + e->key;
	cr_expect(map.ordered);
	cr_expect_eq(order, 32755562773739093ull, "%llu", (unsigned long long)order);
	fl_map_free(&map);
}

/* UTF-8 --------------------------------------------------------------- */

static unsigned length(const char *text)
{
	return fl_utf8_length(text, strlen(text));
}

Test(utf8, well_formed_sequences_have_their_length)
{
	cr_assert_eq(length("a"), 1);
	cr_assert_eq(length("\xc3\xa9"), 2);
	cr_assert_eq(length("\xe2\x82\xac!"), 3);
	cr_assert_eq(length("\xf0\x9f\x94\xa5"), 4);
	cr_assert_eq(length("\xf4\x8f\xbf\xbf"), 4);
	cr_assert_eq(fl_utf8_length("", 0), 0);
	cr_assert_eq(fl_utf8_length("", 1), 1);
}

Test(utf8, overlong_surrogate_cut_and_stray_are_none)
{
	static const char *const bad[] = {
		"\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf",
		"\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xff", "\xc3", "\xe2\x82",
		"\xe2\x28\xa1", "\xf0\x9f\x94", "\xc3(",
	};
	size_t i;

	for (i = 0; i < FL_COUNT(bad); i++)
		cr_assert_eq(length(bad[i]), 0, "%zu", i);
}

Test(utf8, code_points_are_put_and_surrogates_replaced)
{
	struct fl_buf buf = { 0 };

	fl_utf8_put(&buf, 'a');
	fl_utf8_put(&buf, 0xe9);
	fl_utf8_put(&buf, 0x20ac);
	fl_utf8_put(&buf, 0x1f525);
	fl_utf8_put(&buf, 0xd800);
	fl_utf8_put(&buf, 0x110000);
	cr_assert_str_eq(buf.data, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5"
				   "\xef\xbf\xbd\xef\xbf\xbd");
	fl_buf_free(&buf);
}

Test(utf8, other_bytes_are_replaced_one_by_one)
{
	static const char text[] = "\xff" "a\xe2\x82\xac\xe2\x82";
	struct fl_buf buf = { 0 };

	fl_utf8_clean(&buf, (struct slice){ text, sizeof(text) - 1 });
	cr_assert_str_eq(buf.data, "\xef\xbf\xbd" "a\xe2\x82\xac"
				   "\xef\xbf\xbd\xef\xbf\xbd");
	fl_buf_free(&buf);
}

/* Regular expressions -------------------------------------------------- */

static bool matches(const char *pattern, bool whole, const char *text)
{
	char error[300] = "";
	struct fl_regex *re = fl_regex_new(pattern, whole, error,
					   sizeof(error));
	bool yes;

	cr_assert_not_null(re, "%s", error);
	yes = fl_regex_match(re, text, strlen(text));
	fl_regex_free(re);
	return yes;
}

static const char *error_of(const char *pattern)
{
	static char error[300];
	struct fl_regex *re = fl_regex_new(pattern, false, error,
					   sizeof(error));

	cr_assert_null(re, "%s", pattern);
	return error;
}

static void expect_start(const char *text, const char *start)
{
	cr_expect(strncmp(text, start, strlen(start)) == 0, "%s", text);
}

Test(regexes, find_anywhere_or_match_all)
{
	cr_assert(matches("b+", false, "abbc"));
	cr_assert_not(matches("b+", true, "abbc"));
	cr_assert(matches("ab+c", true, "abbc"));
	cr_assert(matches("a|ab", true, "ab"));
	cr_assert(matches("", false, ""));
	cr_assert_not(matches("x", false, ""));
}

Test(regexes, plain_ones_have_a_word_that_every_match_has)
{
	static const struct {
		const char *pattern, *word;
	} words[] = {
		{ "TaskRunner\\.run", "TaskRunner" }, { "a.bc", "bc" },
		{ "^java/lang/Foo\\$Bar$", "java" }, { "f_9", "f_9" },
		{ "ab|c", "" }, { "(?i)ab", "" }, { "abc*d", "ab" },
		{ "xyz?", "xy" }, { "a?", "" }, { "a{2}", "" }, { "[a]b", "" },
		{ "\\bab", "" }, { "\\Qa.b\\E", "" }, { "ab+c", "ab" },
		{ "(abcd|e)fg(hij)*", "fg" }, { "(a|(bcd))", "" },
		{ "org.(impl.Writer|x)", "org" }, { "", "" }, { ".", "" },
	};
	char error[256];

	for (size_t i = 0; i < FL_COUNT(words); i++) {
		struct fl_regex *re = fl_regex_new(words[i].pattern, false,
						   error, sizeof(error));
		struct slice word;

		cr_assert(re, "%s", error);
		word = fl_regex_word(re);
		cr_expect(word.size == strlen(words[i].word) &&
			  (!word.size ||
			   memcmp(word.data, words[i].word, word.size) == 0),
			  "%s: %.*s", words[i].pattern, (int)word.size,
			  word.data ? word.data : "");
		fl_regex_free(re);
	}
}

Test(regexes, a_dollar_that_is_not_at_an_end_is_itself)
{
	cr_assert(matches("Executor$TaskRunner.run", false,
			  "org/Executor$TaskRunner.run"));
	cr_assert(matches("run$", false, "Task.run"));
	cr_assert_not(matches("run$", false, "Task.runs"));
	cr_assert(matches("(run$|go$)", false, "Task.go"));
	cr_assert(matches("a$$", false, "a$"));
	cr_assert_not(matches("a$$", false, "a$b"));
	cr_assert(matches("$$Lambda", false, "Foo$$Lambda.1"));
	cr_assert(matches("a\\$b", false, "a$b"));
	cr_assert(matches("a[$]b", false, "a$b"));
	cr_assert(matches("\\Qa$b\\Ec$d", false, "a$bc$d"));
}

Test(regexes, classes_of_java_are_known)
{
	cr_assert(matches("\\p{Alpha}+", true, "abcXYZ"));
	cr_assert_not(matches("\\p{Alpha}", false, "\xc3\xa9"));
	cr_assert(matches("\\P{Alpha}", true, "\xc3\xa9"));
	cr_assert(matches("[^\\p{Alpha}]", true, "\xe6\xbc\xa2"));
	cr_assert(matches("[\\P{Alpha}x]+", true, "1\xc3\xa9x"));
	cr_assert(matches("[\\p{Lower}\\p{Digit}_]+", true, "ab_9"));
	cr_assert_not(matches("[\\p{Lower}\\p{Digit}_]+", true, "aB"));
	cr_assert(matches("\\p{Upper}\\p{XDigit}\\p{Punct}", true, "Zf\\"));
	cr_assert(matches("\\p{ASCII}\\p{Blank}\\p{Cntrl}\\p{Space}", true,
			  "~\t\x7f\v"));
	cr_assert(matches("\\p{Graph}\\p{Print}\\p{Alnum}", true, "! 5"));
	cr_assert(matches("\\p{javaUpperCase}\\p{javaLowerCase}*", true,
			  "\xc3\x89t\xc3\xa9"));
	cr_assert(matches("[\\P{javaUpperCase}]+", true, "abc"));
	cr_assert(matches("\\p{IsAlphabetic}+", true, "\xc3\x89t\xc3\xa9"));
	cr_assert(matches("\\p{javaJavaIdentifierPart}+", true, "a$_\xc3\xa9"));
	cr_assert(matches("\\p{IsLatin}\\p{IsLu}\\pL\\p{L}", true, "aAaa"));
	cr_assert(matches("\\p{IsGreek}\\p{script=Greek}\\p{gc=Ll}", true,
			  "\xce\xb1\xce\xb1\xce\xb1"));
	cr_assert(matches("\\Q\\p{Alpha}\\E", true, "\\p{Alpha}"));
	cr_assert(matches("[\\Q]\\E\\p{Alpha}]+", true, "a]"));
}

Test(regexes, code_points_are_spelled_as_in_java)
{
	cr_assert(matches("\\u0041\\x42\\x{43}\\t", true, "ABC\t"));
	cr_assert(matches("[\\u00e9]", true, "\xc3\xa9"));
	cr_assert(matches("\\uD83D\\uDD25", true, "\xf0\x9f\x94\xa5"));
	cr_assert(matches(".", true, "\xf0\x9f\x94\xa5"));
}

Test(regexes, brackets_come_in_all_orders)
{
	cr_assert(matches("[]a]+$x", true, "]a$x"));
	cr_assert(matches("[^]a]$x", true, "b$x"));
	cr_assert(matches("[[:alpha:]$]+$x", true, "a$$x"));
	cr_assert(matches("[\\]$]+", true, "]$"));
	cr_assert(matches("[a&b]+", true, "&a"));
}

Test(regexes, errors_name_the_place_and_what_was_seen)
{
	cr_expect_str_eq(error_of("[a-z&&[^b]]"), "\"[a-z&&[^b]]\": at "
			 "\"&&[^b]]\": class intersection (&&) is Java's "
			 "only");
	cr_expect_str_eq(error_of("[\\P{javaLetterOrDigit}]"),
			 "\"[\\P{javaLetterOrDigit}]\": at "
			 "\"\\P{javaLetterOrDigit}]\": no such opposite "
			 "within [...]");
	cr_expect_str_eq(error_of("\\u12"), "\"\\u12\": at \"\\u12\": "
			 "\\u wants four hexadecimal digits");
	/* The rest of these is PCRE2's, and its versions differ. */
	expect_start(error_of("foo(bar"), "\"foo(bar\": at its end: missing");
	expect_start(error_of("a$b**c"), "\"a$b**c\": at \"*c\": ");
	expect_start(error_of("\\p{Alpha}x)y"),
		     "\"\\p{Alpha}x)y\": at \")y\": unmatched");
	expect_start(error_of("\\p{InGreek}"), "\"\\p{InGreek}\": at ");
	expect_start(error_of("\\ud800"), "\"\\ud800\": at ");
	expect_start(error_of("a\\"), "\"a\\\": at its end: ");
	expect_start(error_of("[a"), "\"[a\": at its end: missing");
	expect_start(error_of("\\p{Alpha"), "\"\\p{Alpha\": at ");
	expect_start(error_of("\\p{"), "\"\\p{\": at ");
}

Test(regexes, subjects_may_be_invalid)
{
	cr_assert(matches("b", false, "a\xff\xc3(b"));
	cr_assert_not(matches("c", false, "a\xff\xc3(b"));
	cr_assert_not(matches("a.b", true, "a\xff" "b"));
	cr_assert(matches("^b$", false, "b"));
	cr_assert_not(matches("^b", false, "\xff" "b"));
	cr_assert_not(matches("b$", false, "b\xff"));
}

Test(regexes, nul_is_a_character_of_a_subject)
{
	char error[100];
	struct fl_regex *re = fl_regex_new("a.b", true, error, sizeof(error));

	cr_assert(fl_regex_match(re, "a\0b", 3));
	cr_assert_not(fl_regex_match(re, NULL, 0));
	fl_regex_free(re);
	fl_regex_free(NULL);
}

Test(regexes, deep_backtracking_needs_no_stack)
{
	struct fl_buf text = { 0 };
	char error[100];
	struct fl_regex *re = fl_regex_new("(a|b)*c", false, error,
					   sizeof(error));
	int i;

	for (i = 0; i < 200000; i++)
		fl_buf_byte(&text, "ab"[i % 2]);
	fl_buf_byte(&text, 'c');
	cr_assert(fl_regex_match(re, text.data, text.size));
	fl_buf_free(&text);
	fl_regex_free(re);
}

static const char *replaced(const char *pattern, const char *subject,
			    const char *to, bool all)
{
	static char result[200];
	char error[100];
	struct fl_buf out = { 0 };
	struct fl_regex *re = fl_regex_new(pattern, false, error,
					   sizeof(error));

	cr_assert_not_null(re, "%s", error);
	fl_regex_replace(re, (struct slice){ subject, strlen(subject) }, to,
			 all, &out);
	snprintf(result, sizeof(result), "%s", out.data);
	fl_buf_free(&out);
	fl_regex_free(re);
	return result;
}

Test(regexes, replacing_once_or_all)
{
	cr_expect_str_eq(replaced("o", "foo boo", "0", false), "f0o boo");
	cr_expect_str_eq(replaced("o", "foo boo", "0", true), "f00 b00");
	cr_expect_str_eq(replaced("x", "foo", "0", true), "foo");
	cr_expect_str_eq(replaced("(\\w)(\\w)", "abcd", "$2\\1", true),
			 "badc");
	cr_expect_str_eq(replaced("b", "abc", "[$0\\0\\$\\\\$$x\\", false),
			 "a[bb$\\$$x\\c");
	cr_expect_str_eq(replaced("(a)|(b)", "ab", "<$1$2$3$10>", true),
			 "<aa0><b0>");
	cr_expect_str_eq(replaced("\\$\\$Lambda.*", "Foo$$Lambda$14/0x8",
				  "", true), "Foo");
	cr_expect_str_eq(replaced("$", "", "x", true), "x");
	cr_expect_str_eq(replaced("b+", "abbc", "<&1\\&>", true), "a<bb1&>c");
}

Test(regexes, empty_matches_move_on_as_in_java)
{
	cr_expect_str_eq(replaced("a*", "baaac", "x", true), "xbxxcx");
	cr_expect_str_eq(replaced("", "\xc3\xa9" "b", "-", true),
			 "-\xc3\xa9-b-");
}

Test(regexes, groups_of_a_match_are_slices_of_the_subject)
{
	char error[100];
	struct slice subject = FL_SLICE("stage-12-x"), group;
	struct fl_regex *re = fl_regex_new("stage-(\\d+)(z)?", false, error,
					   sizeof(error));

	cr_assert_eq(fl_regex_groups(re), 2);
	cr_assert(fl_regex_group(re, subject, 1, &group));
	cr_assert(fl_slice_is(group, "12"));
	cr_assert_eq(group.data, subject.data + 6);
	cr_assert_not(fl_regex_group(re, subject, 2, &group));
	cr_assert_not(fl_regex_group(re, subject, 3, &group));
	cr_assert_not(fl_regex_group(re, FL_SLICE("none"), 0, &group));
	fl_regex_free(re);
}

/* Maps of low keys ------------------------------------------------------ */

Test(dense, low_and_high_keys_have_their_values)
{
	struct fl_dense dense = { 0 };

	for (uint64_t i = 1; i < 5000; i++)
		cr_assert(fl_dense_set(&dense, i * 7, i, 3000, 9));
	for (uint64_t i = 1; i < 5000; i++)
		cr_assert_eq(fl_dense_get(&dense, i * 7), i);
	cr_expect_eq(fl_dense_get(&dense, 0), 0);
	cr_expect_eq(fl_dense_get(&dense, 8), 0);
	cr_expect_eq(fl_dense_get(&dense, UINT64_MAX), 0);
	fl_dense_free(&dense);
	cr_expect_eq(fl_dense_get(&dense, 7), 0);
}

Test(dense, a_key_that_the_table_reaches_later_is_still_found)
{
	struct fl_dense dense = { 0 };

	cr_assert(fl_dense_set(&dense, 5000, 1, 100, 10));
	cr_assert(fl_dense_set(&dense, 6000, 7, 10000, 10000));
	cr_expect_eq(fl_dense_get(&dense, 5000), 1);
	cr_assert(fl_dense_set(&dense, 5000, 2, 10000, 1));
	cr_expect_eq(fl_dense_get(&dense, 5000), 2);
	fl_dense_free(&dense);
}

/* Libraries that are opened late ---------------------------------------- */

Test(late, a_library_that_is_not_there_is_said_to_be)
{
	static const char *const names[] = { "f", NULL };
	void *functions[1] = { NULL };
	struct fl_late late = { "libnowhere.so.7", names, functions };
	const char *why = fl_late_open(&late);

	cr_assert(why);
	cr_expect(strstr(why, "libnowhere.so.7"), "%s", why);
	cr_expect_null(functions[0]);
}

Test(late, all_functions_are_there_or_it_is_not_open)
{
	static const char *const names[] = { "zlibVersion", "crc64", NULL };
	void *functions[2] = { NULL };
	struct fl_late late = { "libz.so.1", names, functions };
	const char *why = fl_late_open(&late);

	cr_assert(why);
	cr_expect_null(functions[0]);
}

Test(memory, elements_that_a_grown_array_has_more_are_zero)
{
	size_t capacity = 0, before;
	unsigned *data = NULL;

	cr_assert(fl_grow_zeroed(&data, &capacity, 3, sizeof(*data)));
	for (before = 0; before < capacity; before++) {
		cr_expect_eq(data[before], 0);
		data[before] = 7;
	}
	cr_assert(fl_grow_zeroed(&data, &capacity, before + 1, sizeof(*data)));
	for (size_t i = 0; i < capacity; i++)
		cr_expect_eq(data[i], i < before ? 7 : 0);
	fl_free(data);
}
