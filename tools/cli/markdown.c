/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli_markdown() escapes text of inputs, such as names of frames, for Markdown
 * and for viewers that let HTML through: '<' becomes "&lt;", because not all
 * readers know "\<".  For the writers of tables and reports.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(unsigned char c)
{
	return (c | 32u) - 'a' < 26 || c - '0' + 0u < 10 || c >= 0x80;
}

static void put_letter(FILE *to, const char *text, size_t i)
{
	char c = text[i];

	if (c == '<' || c == '&')
		fputs(c == '<' ? "&lt;" : "&amp;", to);
	else if (strchr("\\`*[]|~", c) || (!i && strchr("#-+=>", c)) ||
		 (c == '_' && !(i && is_word(text[i - 1]) &&
				is_word(text[i + 1]))))
		fprintf(to, "\\%c", c);
	else
		putc(c, to);
}

/* Nothing but the ends of the span and of a table's cell counts here. */
static void put_code(FILE *to, char c)
{
	fputs(c == '|' ? "\\" : "", to);
	putc(c == '`' ? '\'' : c, to);
}

char *cli_markdown(const char *text, bool code)
{
	char *shown = cli_visible(text, strlen(text)), *markdown = NULL;
	size_t size;
	FILE *to = shown ? open_memstream(&markdown, &size) : NULL;

	for (size_t i = 0; to && shown[i]; i++)
		if (code)
			put_code(to, shown[i]);
		else
			put_letter(to, shown, i);
	free(shown);
	if (to && fclose(to) == 0)
		return markdown;
	free(markdown);
	return NULL;
}
