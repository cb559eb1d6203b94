/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of perf script: columns around stacks, perf's own messages, and
 * texts that are cut.
 */
#include "fl.h"

#include "format/formats.h"
#include "format/perf/reader.h"
#include "said.h"

#include <stdio.h>

TestSuite(columns, .init = start, .fini = stop);
TestSuite(messages, .init = start, .fini = stop);
TestSuite(ends, .init = start, .fini = stop);

static const char *fold(const char *text, size_t size, const char *event)
{
	struct flame_source *source =
		flame_open_memory(flame, text, size, "in", "perf");
	struct flame_sink *sink;

	cr_assert(source, "%s", flame_error(flame));
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &out));
	sink = flame_pick(sink, event[0] ? event : NULL);
	cr_assert_eq(flame_pump(source, sink), FLAME_OK, "%s",
		     flame_error(flame));
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s", flame_error(flame));
	return out.data;
}

#define FOLD(text, event) fold(text, sizeof(text) - 1, event)

/* What the first sample's label says; "" where it has none. */
static const char *label_of(const char *text, const char *key)
{
	struct flame_source *source =
		flame_open_memory(flame, text, strlen(text), "in", "perf");
	struct flame_sample s;
	flame_id value;

	source->select.needs = FL_NEED_TIME | FL_NEED_THREAD | FL_NEED_STATE;
	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	value = flame_label_get(flame, s.labels, fl_name(flame, key));
	if (!value)
		value = flame_label_get(flame, s.thread, fl_name(flame, key));
	flame_close(source);
	return value ? flame_name_text(flame, value, NULL) : "";
}

Test(columns, of_guests_and_cgroups_are_labels)
{
	static const char guest[] =
		"VM:  771 VCPU:012 qemu w 71/72 [-01] 5.000001:  1 cycles: \n"
		"\t            1000 f (/x)\n\n";
	static const char after[] = "a 7 5.000001:  1 cycles: \n"
		"\t            1000 f (/x)\n /a.slice/b-1.scope\n"
		"a 7 5.000002:  1 cycles: \n";
	static const char in_front[] = "a 7 [003] 5.000001:  1 cycles:  /c.slice\n"
		"\t            1000 f (/x)\n\n";

	cr_assert_str_eq(label_of(guest, "machine_pid"), "771");
	cr_assert_str_eq(label_of(guest, "vcpu"), "12");
	cr_assert_str_eq(label_of(guest, "cpu"), "");
	cr_assert_str_eq(label_of(guest, "thread"), "qemu w");
	cr_assert_str_eq(label_of(after, "cgroup"), "/a.slice/b-1.scope");
	cr_assert_str_eq(label_of(in_front, "cgroup"), "/c.slice");
	cr_assert_str_eq(label_of(in_front, "cpu"), "3");
}

/* Header lines whose one sample is the same. */
Test(columns, of_a_header_are_told_from_the_comm)
{
	static const char *const headers[] = {
		"VM: 1234 VCPU:000 V8 W 71/72 [001] 5.1:  1 cycles: ",
		"V8 W 71/72 [001] 2026-03-02 23:59:59.999999 5.1:  1 cycles: ",
		"V8 W      71 [-01] U     1999-12-31 00:00:00.5   5.1: cycles: ",
		"V8 W 71 2026-03-02 09:15:01.000100 cycles: ",
		"V8 W 71 2026-03-02 09:15:01.000100 ",
		"V8 W    2000000 ",
		"V8 W 71/72      2000000 cycles: ",
		"V8 W 71/72      2000000  /machine.slice/a",
		"V8 W 71/72 [-01] ",
		"V8 W 71 5.1:  1 cycles:       7ffe0000 12 3 /kube/pod",
	};
	char text[300];

	for (size_t i = 0; i < FL_COUNT(headers); i++) {
		snprintf(text, sizeof(text), "%s\n"
			 "\t            1000 f+0x1 (/x)\n\n", headers[i]);
		out.size = 0;
		cr_assert_str_eq(fold(text, strlen(text), ""), "V8 W;f 1\n",
				 "%s", headers[i]);
	}
	cr_assert_null(strstr(said.data, "not understood"), "%s", said.data);
}

/* What follows a stack, and begins no frame and no metric. */
Test(columns, behind_a_stack_are_no_frames)
{
	static const char *const columns[] = {
		"               0",
		"        ffff1000",
		" N/A",
		" 4K 2M",
		"       1a2b3c4d0 N/A 4K /a/b",
		" ABI:2    AX:0x17d0a    BX:0x0 ",
		" ABI:1    R1:0x1  ABI:2    R2:0xffffffff   ilen: 2 insn: 0f 05",
		" 0x1/0x2/M/-/-/0  0x3/0x4/P/X/A/12 ",
		" 0x1(/a b)/0x2(/c)/P/-/-/3/CALL/- ",
		" f(int, int)+0x1/operator new+0x2/PN/-/-/3/COND/-  a/b/-/-/-/0 ",
		" ilen: 15",
		" insn: 48",
		"\t\tmovq %rax, 8(%rsp)",
		" ilen: 3 insn: 48 89 e5               0 N/A \t IPC: 0.52 (1/2) ",
		" /",
		" /kubepods.slice/a-b_c.d:e",
		" unknown",
	};
	char text[500];

	for (size_t i = 0; i < FL_COUNT(columns); i++) {
		snprintf(text, sizeof(text),
			 "a 7 5.1:  1 cycles: \n"
			 "\t            1000 f+0x1 (/x)\n%s\n"
			 "a 7 5.2:  1 cycles: \n"
			 "\t            1000 f+0x1 (/x)\n%s\n",
			 columns[i], columns[i]);
		out.size = 0;
		cr_assert_str_eq(fold(text, strlen(text), ""), "a;f 2\n", "%s",
				 columns[i]);
		snprintf(text, sizeof(text),
			 "    7 \n\t            1000 f\n%s\n"
			 "12345 \n\t            1000 f\n%s\n"
			 "    8 \n\t            1000 g\n%s\n",
			 columns[i], columns[i], columns[i]);
		out.size = 0;
		cr_assert_str_eq(fold(text, strlen(text), ""), "f 2\ng 1\n",
				 "%s", columns[i]);
	}
	cr_assert_null(strstr(said.data, "not understood"), "%s", said.data);
}

Test(columns, of_one_line_stand_around_the_frame)
{
	static const char *const lines[] = {
		"               0     55ba8974d15a f+0x1 (/x)",
		"    7ffd8974d15a [unknown] ([stack])     55ba8974d15a f (/x)",
		"       1e05080021 |OP LOAD|LVL N/A|BLK  N/A         12 "
		"    55ba8974d15a f+0x1 (/x)",
		"    55ba8974d15a f+0x1 (/x)               0 N/A 4K",
		"    55ba8974d15a f+0x1 (/x) ABI:2    AX:0x1  ilen: 1 insn: 55",
		"    55ba8974d15a f+0x1 (/x) 0x1/0x2/P/-/-/0 ",
		" call                     55ba8974d15a f+0x1 (/x) =>     "
		"55ba8974d160 g+0x0 (/x)",
		" /a.slice     55ba8974d15a f+0x1 (/x)",
		"    55ba8974d15a f+0x1 ilen: 3",
		"    55ba8974d15a f               0 4K",
	};
	char text[500];

	for (size_t i = 0; i < FL_COUNT(lines); i++) {
		snprintf(text, sizeof(text),
			 "     a 7 5.1:  1 cycles: %s\n"
			 "     a 7 5.2:  1 cycles: %s\n", lines[i], lines[i]);
		out.size = 0;
		cr_assert_str_eq(fold(text, strlen(text), ""), "a;f 2\n", "%s",
				 lines[i]);
	}
	cr_assert_str_eq(said.data, "");
}

Test(columns, of_code_follow_the_empty_line)
{
	static const char text[] =
		"a 7 5.1:  1 cycles: \n\t            1000 f+0x1 (/x)\n\n"
		"\tf+1:\n\t0000000000001001\tinsn: 55 \t# PRED 3 cycles\n"
		"\t... not reaching sample ...\n\n"
		"|12       if (x) 5 cycles: ;\n"
		"a 7 5.2: \tmetric:       0.50 insn per cycle\n"
		"a 7 5.2:  1 cycles: \n\t            1000 f+0x1 (/x)\n\n"
		"      BPF output: 0000: 48 65 6c 6c 6f 00  Hello.\n"
		"      BPF string: \"Hello\"\n\n";

	cr_assert_str_eq(FOLD(text, ""), "a;f 2\n");
	cr_assert_str_eq(said.data, "");
}

Test(columns, of_a_sample_without_frames_count_it)
{
	cr_assert_str_eq(FOLD("   12 \n\t            1000 f\n\n"
			      "   13 \n\n 4711 \n\t            1000 f\n\n", ""),
			 " 1\nf 2\n");
}

/* Messages and ends -------------------------------------------------- */

Test(messages, of_perf_are_passed_over)
{
	static const char text[] =
		"[ perf record: Captured and wrote 0.1 MB perf.data (2 samples) ]\n"
		"WARNING: Kernel address maps (/proc/{kallsyms,modules}) are "
		"restricted,\ncheck /proc/sys/kernel/kptr_restrict.\n\n"
		"Samples in kernel functions may not be resolved\n\n"
		"a 7 5.1:  1 cycles: \n\t            1000 f+0x1 (/x)\n"
		"Warning:\nProcessed 70 events and lost 1 chunks!\n\n"
		"Check IO/CPU overload!\n\n"
		"\t            1000 g+0x1 (/x)\n\n"
		"Failed to open 12 [001] 5.2:  1 cycles: \n"
		"\t            1000 f+0x1 (/x)\n\n";

	cr_assert_str_eq(FOLD(text, ""), "Failed to open;f 1\na;g;f 1\n");
	cr_assert_str_eq(said.data, "");
}

/* How the last sample ends, and whether it counts. */
Test(ends, within_a_line_leave_the_sample_out)
{
	static const struct {
		const char *text;
		bool whole;
	} ends[] = {
		{ "\t            1000 g+0x1 (/x)\n\n", true },
		{ "\t            1000 g+0x1 (/x)\n", true },
		{ "\t            1000 g+0x1 (/x)", true },
		{ "\t            1000 g+0x1 (/", false },
		{ "\t            1000 g+0x", false },
		{ "\t            1000 g", false },
		{ "\t            10", false },
	};
	char text[500];

	for (size_t i = 0; i < FL_COUNT(ends); i++) {
		bool cut;

		snprintf(text, sizeof(text),
			 "a 7 5.1:  1 cycles: \n\t            1000 f (/x)\n\n"
			 "a 7 5.1:  1 cycles: \n\t            1000 f (/x)\n%s",
			 ends[i].text);
		out.size = said.size = 0;
		fl_buf_byte(&said, '\0');
		said.size = 0;
		fold(text, strlen(text), "");
		cut = strstr(said.data, "within line");
		cr_assert_neq(cut, ends[i].whole, "%s: %s", ends[i].text,
			      said.data);
		cr_assert_str_eq(out.data, ends[i].whole ? "a;f 1\na;g;f 1\n" :
							   "a;f 1\n");
	}
}

Test(ends, without_modules_are_judged_by_the_names)
{
	static const char text[] =
		"    7 \n\t            1000 leaf\n\t            1000 main\n\n"
		"    7 \n\t            1000 leaf\n\t            1000 main";
	struct fl_buf cut = { 0 };

	cr_assert_str_eq(FOLD(text, ""), "main;leaf 2\n");
	cr_assert(strstr(said.data, "without the empty line"));
	out.size = 0;
	fl_buf_put(&cut, text, sizeof(text) - 3);
	cr_assert_str_eq(fold(cut.data, cut.size, ""), "main;leaf 1\n");
	cr_assert(strstr(said.data, "within line 7"), "%s", said.data);
	fl_buf_free(&cut);
}

Test(ends, within_a_header_leave_nothing_of_it)
{
	static const char *const ends[] = {
		"a 7 5.2:  1 cycles: ", "a 7 5.2:  1 cyc", "a 7 5.2:", "\n"
	};
	char text[200];

	for (size_t i = 0; i < FL_COUNT(ends); i++) {
		snprintf(text, sizeof(text), "a 7 5.1:  1 cycles: \n"
			 "\t            1000 f (/x)\n\n%s", ends[i]);
		out.size = 0;
		cr_assert_str_eq(fold(text, strlen(text), ""), "a;f 1\n", "%s",
				 ends[i]);
	}
	cr_assert_eq(flame_warnings(flame), 3);
}

Test(messages, or_a_byte_order_mark_come_first)
{
	cr_assert_str_eq(FOLD("\xef\xbb\xbf" "a 7 5.1:  1 cycles: \n"
			      "\t            1000 f (/x)\n\n", ""), "a;f 1\n");
}
