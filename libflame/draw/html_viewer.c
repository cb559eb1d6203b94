/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the viewer's script and style, and the page's content security policy,
 * for html.c: into the page, or (--split) to files beside it, which many pages
 * share.  The texts are those of share/viewer (fl_viewer).
 */
#include "fl.h"

#include "draw/draw.h"
#include "draw/html.h"

#include <stdio.h>

/* Files of --split, for hosts whose policy forbids scripts in the page. */
#define VIEWER_FILE "flame-viewer-" FLAME_VERSION

/* Many pages share the file: it is written once. */
static bool has_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	char piece[4096];
	size_t n;
	bool same = file != NULL;

	while (same && (n = fread(piece, 1, sizeof(piece), file)) > 0) {
		same = strnlen(text, n) == n && memcmp(text, piece, n) == 0;
		text += same ? n : 0;
	}
	if (file)
		fclose(file);
	return same && !*text;
}

static int write_viewer_file(struct fl_page *page, const char *suffix,
			     const char *text)
{
	struct flame *flame = page->tree->flame;
	const char *path = fl_out_path(page->out);
	const char *slash = path ? strrchr(path, '/') : NULL;
	struct fl_out *out;
	char *file;

	if (!path)
		return fl_fail(flame, "--split: needs a file to write to, as "
			       "-o page.html");
	if (asprintf(&file, "%.*s%s%s", slash ? (int)(slash - path) + 1 : 0,
		     path, VIEWER_FILE, suffix) < 0)
		return fl_no_memory(flame);
	file = fl_memory_adopt(file);
	if (!file)
		return fl_no_memory(flame);
	if (has_text(file, text)) {
		fl_free(file);
		return FLAME_OK;
	}
	out = fl_out_open(flame, file);
	fl_free(file);
	if (!out)
		return FLAME_FAILED;
	fl_out_text(out, text);
	return fl_out_close(out);
}

int fl_html_write_viewer(struct fl_page *page)
{
	int status = write_viewer_file(page, ".js", fl_viewer.script);

	return status != FLAME_OK ? status :
	       write_viewer_file(page, ".css", fl_viewer.style);
}

static const struct fl_script *script_of(const struct fl_page *page)
{
	if (page->timed)
		return &fl_viewer.timed;
	return page->compared ? &fl_viewer.compared : &fl_viewer.plain;
}

/* Allows the loader and the script that it adds to the page by hash. */
void fl_html_put_policy(const struct fl_page *page)
{
	struct fl_out *out = page->out;

	fl_out_text(out, "<meta http-equiv=\"Content-Security-Policy\" "
		    "content=\"default-src 'none'; script-src ");
	if (page->html.split)
		fl_out_text(out, "'self'; style-src 'self'");
	else
		fl_out_print(out, "'%s' '%s'; style-src '%s' '%s'",
			     fl_viewer.loader_hash, script_of(page)->hash,
			     fl_viewer.first_hash, fl_viewer.style_hash);
	fl_out_text(out, "; img-src data: blob:; base-uri 'none'; "
		    "form-action 'none'\">\n");
}

void fl_html_put_style(const struct fl_page *page)
{
	if (page->html.split) {
		fl_out_text(page->out,
			    "<link rel=\"stylesheet\" href=\"" VIEWER_FILE
			    ".css\">");
		return;
	}
	fl_out_text(page->out, "<style>");
	fl_out_text(page->out, fl_viewer.first_style);
	fl_out_text(page->out, "</style>");
}

void fl_html_put_script(const struct fl_page *page)
{
	struct fl_out *out = page->out;

	if (page->html.split) {
		fl_out_text(out, "<script src=\"" VIEWER_FILE ".js\">");
	} else {
		fl_out_text(out, "<script id=\"viewer\" type=\"text/plain\">");
		fl_out_text(out, script_of(page)->packed);
		fl_out_text(out, "</script><script>");
		fl_out_text(out, fl_viewer.loader);
	}
	fl_out_text(out, "</script>\n</body>\n</html>\n");
}
