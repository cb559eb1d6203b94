/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what the panel Info of an HTML page shows, for html.c: our version,
 * options, warnings, and the inputs with their facts; and the findings of
 * flame-diff --runs.
 */
#include "fl.h"

#include "draw/draw.h"
#include "draw/html.h"

enum { MAX_LISTED_ORIGINS = 100 };

static void pack_origin(struct fl_packer *p, const struct fl_origin *origin)
{
	fl_pack_text(p, origin->name);
	fl_pack_text(p, origin->format);
	fl_pack_number(p, origin->nfacts);
	for (size_t i = 0; i < origin->nfacts; i++) {
		fl_pack_text(p, origin->facts[i].key);
		fl_pack_text(p, origin->facts[i].value);
	}
}

static void pack_origins(struct fl_packer *p, const struct fl_origins *of)
{
	size_t listed = FL_MIN(of->count, (size_t)MAX_LISTED_ORIGINS);
	struct fl_buf name = { 0 };

	fl_origins_name(of, &name);
	fl_pack_text(p, name.size ? name.data : "");
	fl_pack_number(p, of->count);
	fl_pack_number(p, listed);
	for (size_t i = 0; i < listed; i++)
		pack_origin(p, &of->data[i]);
	fl_buf_free(&name);
}

/*
 * Where the profile comes from, packed as the data: our version, options,
 * warnings, columns; of each its name, the number of inputs, and those listed:
 * name, format, facts.
 */
bool fl_html_put_about(const struct fl_page *page)
{
	struct flame *flame = page->tree->flame;
	unsigned nwarned = FL_MIN(flame->report.warnings, (unsigned)FL_MAX_WARNED);
	unsigned columns = 1 + !!page->origins[1];
	struct fl_packer *p;

	if (page->compat)
		return true;
	p = fl_packer_open(page->out, 1);
	if (!p)
		return false;
	fl_out_text(page->out, "<script type=\"text/plain\" id=\"origins\">");
	fl_pack_text(p, FLAME_VERSION);
	fl_pack_text(p, page->made_with);
	fl_pack_number(p, nwarned);
	for (unsigned i = 0; i < nwarned; i++)
		fl_pack_text(p, flame->report.warned[i]);
	fl_pack_number(p, columns);
	for (unsigned c = 0; c < columns; c++)
		pack_origins(p, page->origins[c]);
	if (!fl_packer_close(p))
		return false;
	fl_out_text(page->out, "</script>\n");
	return true;
}

void fl_html_put_findings(const struct fl_page *page)
{
	if (!page->html.findings)
		return;
	fl_out_text(page->out, "<template id=\"findings\">");
	fl_out_text(page->out, page->html.findings);
	fl_out_text(page->out, "</template>\n");
}
