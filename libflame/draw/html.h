/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an HTML page beside its profile; html.c puts them together. */
#ifndef FL_DRAW_HTML_H
#define FL_DRAW_HTML_H

#include "draw/draw.h"
#include "tree/works.h"

/* html_viewer.c: writes the files of --split; FLAME_FAILED: see flame_error. */
int fl_html_write_viewer(struct fl_page *page);
void fl_html_put_policy(const struct fl_page *page);
void fl_html_put_style(const struct fl_page *page);
/* The script, and the end of the page. */
void fl_html_put_script(const struct fl_page *page);

/*
 * said.c: packs the page's sentence: the number of its parts; for each, the
 * text before a link, the link's text, and the search that the link starts.
 */
void fl_html_pack_said(struct fl_packer *p, const struct flame *flame,
		       const struct fl_layout *l, const struct fl_words *words);

/* html_about.c; false: out of memory. */
bool fl_html_put_about(const struct fl_page *page);
/* The option findings, as a template. */
void fl_html_put_findings(const struct fl_page *page);

#endif
