/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings of Hadoop by key (fl_hadoop), for hdfs.c and hdfs_token.c, from
 * core-site.xml and hdfs-site.xml, which are read once:
 *
 * <configuration><property><name>KEY</name><value>TEXT</value></property>...
 */
#include "fl.h"

#include "remote/hadoop.h"
#include "base/report.h"
#include "io/xml.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>	/* getenv */
#include <unistd.h>

struct setting {
	char *key, *value;
};

static struct setting *settings;	/* later ones count */
static size_t nsettings, capacity;

static char *copy_trimmed(const struct fl_buf *buf)
{
	size_t from = 0, to = buf->size;
	char *copy;

	while (from < to && (unsigned char)buf->data[from] <= ' ')
		from++;
	while (to > from && (unsigned char)buf->data[to - 1] <= ' ')
		to--;
	copy = fl_alloc(to - from + 1);
	if (!copy)
		return NULL;
	if (to > from)
		memcpy(copy, buf->data + from, to - from);
	copy[to - from] = '\0';
	return copy;
}

static void add(const struct fl_buf *key, const struct fl_buf *value)
{
	struct setting setting;

	if (!fl_grow(&settings, &capacity, nsettings + 1, sizeof(setting)))
		return;
	setting.key = copy_trimmed(key);
	setting.value = copy_trimmed(value);
	if (setting.key && setting.value) {
		settings[nsettings++] = setting;
		return;
	}
	fl_free(setting.key);
	fl_free(setting.value);
}

static void read_settings(struct fl_xml *xml)
{
	struct fl_buf text = { 0 }, key = { 0 }, value = { 0 };

	for (;;) {
		struct fl_buf *to = NULL;

		switch (fl_xml_next(xml)) {
		case FL_XML_END:
		case FL_XML_FAILED:
			fl_buf_free(&text);
			fl_buf_free(&key);
			fl_buf_free(&value);
			return;
		case FL_XML_OPEN:
			text.size = 0;
			if (fl_xml_is(xml, "property"))
				key.size = value.size = 0;
			break;
		case FL_XML_TEXT:
			fl_buf_put(&text, xml->text.data, xml->text.size);
			break;
		case FL_XML_CLOSE:
			if (fl_xml_is(xml, "name"))
				to = &key;
			else if (fl_xml_is(xml, "value"))
				to = &value;
			else if (fl_xml_is(xml, "property") && key.size)
				add(&key, &value);
			if (to) {
				to->size = 0;
				fl_buf_put(to, text.data ? text.data : "",
					   text.size);
			}
			break;
		}
	}
}

static void read_file(struct flame *flame, const char *folder,
		      const char *name)
{
	char path[4096];
	struct fl_xml xml;
	struct fl_in *in;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	in = access(path, R_OK) == 0 ? fl_in_open_file(flame, path) : NULL;
	if (!in)
		return;
	fl_xml_init(&xml, in);
	read_settings(&xml);
	fl_xml_free(&xml);
	fl_in_close(in);
}

static void load(void)
{
	const char *folder = getenv("HADOOP_CONF_DIR");
	const char *home = getenv("HADOOP_HOME");
	struct flame *flame = fl_report_new();
	char path[4096] = "/etc/hadoop/conf";

	if (folder && *folder)
		snprintf(path, sizeof(path), "%s", folder);
	else if (home && *home)
		snprintf(path, sizeof(path), "%s/etc/hadoop", home);
	if (!flame)
		return;
	read_file(flame, path, "core-site.xml");
	read_file(flame, path, "hdfs-site.xml");
	fl_report_free(flame);
}

static void need(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
}

const char *fl_hadoop(const char *format, ...)
{
	char key[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(key, sizeof(key), format, args);
	va_end(args);
	need();
	for (size_t i = nsettings; i; i--)
		if (strcmp(settings[i - 1].key, key) == 0)
			return *settings[i - 1].value ? settings[i - 1].value :
							NULL;
	return NULL;
}

const char *fl_hadoop_next(const char *prefix, size_t *i, const char **value)
{
	size_t n = strlen(prefix);

	need();
	while (*i < nsettings) {
		const struct setting *setting = &settings[(*i)++];

		if (strncmp(setting->key, prefix, n) == 0 && *setting->value) {
			*value = setting->value;
			return setting->key + n;
		}
	}
	return NULL;
}
