/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile as of Java programs: stacks of 20 to 60 frames, each of
 * which is another, in no order, the same in every run.
 *
 *	mkstacks N	folded text
 *	mkstacks -p N	as perf script prints it
 *	mkstacks -l N	as perf script prints it where there are no stacks: a
 *			line a sample, no two of one address
 *	mkstacks -v N	folded text of short names and a tenth of the depth of
 *			the above: variants of 300 stacks, in which a frame
 *			in the middle and the leaf are numbered
 *	mkstacks -n KIND N	folded text of tiny, c or c++ names, each of
 *			which is in one stack only
 *
 * A method calls few others, one of them most of the time, so stacks share
 * their beginnings and part on the way: some eleven new nodes of the tree
 * for each stack, as in a recording of javac.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 6000, ENTRIES = 6, LEAST = 20, MOST = 60, BASE = 300 };

static char *names[METHODS];
static uint64_t state = 20;

/* A number that depends on nothing but its argument. */
static uint64_t mix(uint64_t n)
{
	n += 0x9e3779b97f4a7c15;
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9;
	n = (n ^ n >> 27) * 0x94d049bb133111eb;
	return n ^ n >> 31;
}

static uint32_t draw(uint32_t below)
{
	return (uint32_t)(mix(state++) >> 32) % below;
}

static void name_methods(void)
{
	static const char *const packages[] = {
		"java/util", "java/util/concurrent", "java/io", "java/nio",
		"java/lang", "sun/nio/ch", "scala/collection/immutable",
		"scala/collection", "org/apache/spark/rdd",
		"org/apache/spark/scheduler", "org/apache/spark/sql/execution",
		"org/apache/spark/sql/catalyst/expressions",
		"org/apache/spark/shuffle/sort", "org/apache/spark/storage",
		"org/apache/hadoop/fs", "org/apache/parquet/column/impl",
		"com/nvidia/spark/rapids", "com/esotericsoftware/kryo/io",
		"io/netty/channel", "io/netty/buffer",
	};
	static const char *const whats[] = {
		"Task", "Row", "Column", "Block", "Shuffle", "Hash", "Buffer",
		"Stream", "Array", "Unsafe", "Linked", "Record", "Page",
	};
	static const char *const things[] = {
		"Reader", "Writer", "Iterator", "Map", "Manager", "Context",
		"Serializer", "Sorter", "Handler$1", "Pool", "Codec$Inner",
	};
	static const char *const verbs[] = {
		"read", "write", "next", "hasNext", "apply", "insert", "get",
		"copy", "compare", "flush", "compute", "resize", "lambda$run$",
	};
	char name[160];

	for (unsigned i = 0; i < METHODS; i++) {
		uint64_t r = mix(i ^ UINT64_C(0xf1a3e) << 32);

		snprintf(name, sizeof(name), "%s/%s%s.%s%u",
			 packages[r % 20], whats[(r >> 8) % 13],
			 things[(r >> 16) % 11], verbs[(r >> 24) % 13], i);
		names[i] = strdup(name);
		if (!names[i])
			exit(2);
	}
}

static uint32_t callee(uint32_t method)
{
	uint32_t kinds = 1 + mix(method) % 6, which = 0;

	if (draw(100) >= 60)
		which = draw(kinds);
	return (uint32_t)(mix((uint64_t)method << 8 | which) % METHODS);
}

/* Every entry has its way into the program; there it parts. */
static uint32_t walk(uint32_t *stack)
{
	uint32_t entry = draw(ENTRIES), n = 0, depth;

	/* More of the shallow ones. */
	depth = LEAST + draw(1 + draw(MOST - LEAST + 1));
	stack[n++] = entry;
	for (; n < 10; n++)
		stack[n] = (uint32_t)(mix(entry << 8 | n) % METHODS);
	for (; n < depth; n++)
		stack[n] = callee(stack[n - 1]);
	return n;
}

struct seen {
	uint64_t *at;
	size_t mask;
};

static bool is_new(struct seen *seen, const uint32_t *stack, uint32_t n)
{
	uint64_t hash = n;
	size_t i;

	while (n--)
		hash = mix(hash ^ stack[n]);
	hash |= 1;
	for (i = hash >> 20 & seen->mask; seen->at[i];
	     i = (i + 1) & seen->mask)
		if (seen->at[i] == hash)
			return false;
	seen->at[i] = hash;
	return true;
}

static const char *tier(uint32_t method)
{
	static const char *const tiers[] = {
		"_[j]", "_[j]", "_[j]", "_[i]", "_[i]", "_[0]", "_[1]", "",
	};

	return tiers[mix(method * 31) % 8];
}

static void print_folded(const uint32_t *stack, uint32_t n, uint32_t weight)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			putchar(';');
		fputs(names[stack[i]], stdout);
		fputs(tier(stack[i]), stdout);
	}
	printf(" %" PRIu32 "\n", weight);
}

/* As of a JVM with a map of its methods for perf. */
static void print_perf(const uint32_t *stack, uint32_t n, uint64_t number)
{
	printf("java %5u/%u [%03u] %6" PRIu64 ".%06" PRIu64 ":   10101010 "
	       "cpu-clock:pppH: \n", 4242, 4250 + (unsigned)(number % 8),
	       (unsigned)(number % 4), 1000 + number / 400,
	       number % 400 * 2500);
	while (n--) {
		uint64_t at = 0x7f3a00000000 + stack[n] * 4096 +
			      mix(stack[n]) % 4096;
		const char *name = names[stack[n]];
		const char *dot = strrchr(name, '.');

		printf("\t%16" PRIx64 " L%.*s;::%s+0x%x (/tmp/perf-4242.map)\n",
		       at, (int)(dot - name), name, dot + 1,
		       (unsigned)(mix(stack[n]) % 4096));
	}
	putchar('\n');
}

static void print_line(const uint32_t *stack, uint32_t n, uint64_t number)
{
	printf("java %5u/%u [%03u] %6" PRIu64 ".%06" PRIu64 ":   10101010 "
	       "cpu-clock:pppH:  %16" PRIx64 " %s+0x%" PRIx64
	       " (/usr/lib/jvm/lib/server/libjvm.so)\n",
	       4242, 4250 + (unsigned)(number % 8), (unsigned)(number % 4),
	       1000 + number / 400, number % 400 * 2500,
	       0x7f3a00000000 + number * 16, names[stack[n - 1]],
	       number % 4096);
}

/* Frame names without their packages. */
static const char *brief(uint32_t method)
{
	return strrchr(names[method], '/') + 1;
}

static void print_variant(const uint32_t *stack, uint32_t n, uint64_t number,
			  uint32_t weight)
{
	for (uint32_t i = 0; i < n; i++) {
		printf("%s%s", i ? ";" : "", brief(stack[i]));
		if (i == n / 2)
			printf("_v%" PRIu64, number / BASE % 97);
		if (i == n - 1)
			printf("_v%" PRIu64, number);
	}
	printf(" %" PRIu32 "\n", weight);
}

static int variants(uint64_t wanted)
{
	static uint32_t base[BASE][MOST + 1], size[BASE];

	for (unsigned i = 0; i < BASE; i++) {
		walk(base[i]);
		size[i] = 3 + draw(16);
	}
	for (uint64_t made = 0; made < wanted; made++)
		print_variant(base[made % BASE], size[made % BASE],
			      made, 1 + draw(50));
	return fflush(stdout) == EOF || ferror(stdout) ? 2 : 0;
}

static int distinct(const char *kind, uint64_t wanted)
{
	for (uint64_t i = 0; i < wanted; i++) {
		if (kind[0] == 't')
			printf("a%" PRIu64 ";b%" PRIu64 ";c%" PRIu64, i, i, i);
		else
			for (unsigned k = 0; k < 4; k++)
				printf(kind[1] ? "%sns::Vector<int, %" PRIu64
				       ">::push_%u(std::string const&, "
				       "unsigned long)" :
				       "%sfunction_%" PRIu64 "_%u",
				       k ? ";" : "", mix(i), k);
		printf(" %u\n", 1 + draw(50));
	}
	return fflush(stdout) == EOF || ferror(stdout) ? 2 : 0;
}

int main(int argc, char **argv)
{
	char kind = argc > 2 && argv[1][0] == '-' ? argv[1][1] : 0;
	uint64_t wanted = argc == 2 + !!kind ?
			  strtoull(argv[1 + !!kind], NULL, 10) : 0;
	struct seen seen = { .mask = 1 << 10 };
	uint32_t stack[MOST + 1];

	if (argc == 4 && strcmp(argv[1], "-n") == 0)
		return distinct(argv[2], strtoull(argv[3], NULL, 10));
	if (!wanted || (kind && !strchr("plv", kind))) {
		fputs("usage: mkstacks [-p|-l|-v] N | -n tiny|c|c++ N\n",
		      stderr);
		return 2;
	}
	name_methods();
	if (kind == 'v')
		return variants(wanted);
	while (seen.mask < 2 * wanted)
		seen.mask *= 2;
	seen.at = calloc(seen.mask--, sizeof(*seen.at));
	if (!seen.at)
		return 2;
	for (uint64_t made = 0; made < wanted;) {
		uint32_t n = walk(stack), weight;

		if (kind != 'l' && !is_new(&seen, stack, n))
			continue;
		made++;
		weight = 1 + draw(1 + draw(1 + draw(400)));
		if (kind == 'p')
			print_perf(stack, n, made);
		else if (kind == 'l')
			print_line(stack, n, made);
		else
			print_folded(stack, n, weight);
	}
	free(seen.at);
	for (unsigned i = 0; i < METHODS; i++)
		free(names[i]);
	return fflush(stdout) == EOF || ferror(stdout) ? 2 : 0;
}
