/* SPDX-License-Identifier: Apache-2.0 */
/*
 * URLs of S3: requests, settings of aws-cli's files, and what errors ask for.
 */
#include "fl.h"

#include "remote/protocol.h"
#include "remote/s3.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct fl_buf spelt;
static struct fl_s3 s3;

static void stop(void)
{
	fl_buf_free(&spelt);
	fl_s3_close(&s3);
}

TestSuite(s3, .fini = stop);

static const char *asked(const char *path, char *region, char *endpoint,
			 const char *query)
{
	struct fl_s3 of = { .region = region, .endpoint = endpoint };

	spelt.size = 0;
	fl_s3_request(&spelt, &of, path, query);
	return spelt.data;
}

static bool read_settings(const char *text, const char *profile)
{
	fl_s3_close(&s3);
	memset(&s3, 0, sizeof(s3));
	return fl_s3_read_settings(&s3, (struct slice){ text, strlen(text) },
				   profile);
}

static const char *explained(long status, const char *body, const char *region)
{
	char region_of_us[] = "us-east-1", key[] = "K";
	struct fl_s3 of = { .region = region_of_us, .key = key };

	spelt.size = 0;
	fl_s3_explain(&spelt, &of, status,
		      (struct slice){ body, strlen(body) }, region);
	return spelt.data;
}

Test(s3, buckets_are_hosts_if_certificates_know_them)
{
	char east[] = "us-east-1", north[] = "cn-north-1";

	cr_expect_str_eq(asked("s3://my-b1/k", east, NULL, NULL),
			 "https://my-b1.s3.us-east-1.amazonaws.com/k");
	cr_expect_str_eq(asked("S3A://my-b1/k", north, NULL, NULL),
			 "https://my-b1.s3.cn-north-1.amazonaws.com.cn/k");
	cr_expect_str_eq(asked("s3://a.b/k", east, NULL, NULL),
			 "https://s3.us-east-1.amazonaws.com/a.b/k");
	cr_expect_str_eq(asked("s3://Ab/k", east, NULL, NULL),
			 "https://s3.us-east-1.amazonaws.com/Ab/k");
}

Test(s3, endpoints_have_the_bucket_in_the_path)
{
	char region[] = "r", endpoint[] = "http://h:9000//";

	cr_expect_str_eq(asked("s3://b/a b//+%?#\xc3\xa9~", region, endpoint,
			       NULL),
			 "http://h:9000/b/a%20b//%2B%25%3F%23%C3%A9~");
	cr_expect_str_eq(asked("s3://b", region, endpoint, "q=1"),
			 "http://h:9000/b/?q=1");
	cr_expect_str_eq(asked("s3://b/p/", region, endpoint, NULL),
			 "http://h:9000/b/?encoding-type=url&list-type=2"
			 "&max-keys=1&prefix=p%2F");
}

Test(s3, queries_are_sorted)
{
	fl_s3_query(&spelt, "a b/", "x/+=", 0);
	cr_expect_str_eq(spelt.data, "continuation-token=x%2F%2B%3D"
			 "&encoding-type=url&list-type=2&prefix=a%20b%2F");
}

Test(s3, paths_have_a_bucket_and_a_key)
{
	cr_expect(fl_slice_is(fl_s3_bucket("s3a://b/k/l"), "b"));
	cr_expect_str_eq(fl_s3_key("s3://b//k?x"), "/k?x");
	cr_expect_str_eq(fl_s3_key("s3://b"), "");
	cr_expect(fl_s3_is_folder("s3://b"));
	cr_expect(fl_s3_is_folder("s3://b/p/"));
	cr_expect(!fl_s3_is_folder("s3://b/p"));
	cr_expect_eq(fl_url_protocol("s3://b"), &fl_protocol_s3);
	cr_expect_eq(fl_url_protocol("S3A://b/k"), &fl_protocol_s3);
	cr_expect_eq(fl_url_protocol("s3n://b/k"), &fl_protocol_s3);
	cr_expect_eq(fl_url_protocol("s3:/b"), NULL);
}

Test(s3, settings_are_those_of_the_profile)
{
	static const char text[] =
		"[default]\naws_access_key_id = D\n\n"
		"; of a team\r\n[ profile  team ]\r\n"
		"aws_access_key_id=K=1\r\n\taws_secret_access_key = nested\n"
		"aws_secret_access_key =  s/+= \nregion=\nregion = eu\n"
		"region = later\nnone\n[profiles]\n[]\nregion = other\n[";

	cr_expect(read_settings(text, "team"));
	cr_expect_str_eq(s3.key, "K=1");
	cr_expect_str_eq(s3.secret, "s/+=");
	cr_expect_str_eq(s3.region, "eu");
	cr_expect_null(s3.session);
	cr_expect_null(s3.endpoint);
	cr_expect(!read_settings(text, "none"));
	cr_expect_null(s3.key);
	cr_expect(!read_settings("", "default"));
	cr_expect(read_settings(text, "default"));
	cr_expect_str_eq(s3.key, "D");
	/* No login is of two files. */
	fl_s3_read_settings(&s3, (struct slice){ text, sizeof(text) - 1 },
			    "team");
	cr_expect_null(s3.secret);
	cr_expect_str_eq(s3.region, "eu");
}

Test(s3, settings_that_cannot_be_used_are_told)
{
	setenv("HOME", "/nowhere", 1);
	setenv("AWS_ACCESS_KEY_ID", "K", 1);
	unsetenv("AWS_SECRET_ACCESS_KEY");
	cr_expect(!fl_s3_open(&s3, "s3://b/k", &spelt));
	cr_expect(strstr(spelt.data, "set AWS_SECRET_ACCESS_KEY"));
	fl_buf_free(&spelt);
	cr_expect(!fl_s3_open(&s3, "s3://b c/k", &spelt));
	cr_expect(strstr(spelt.data, "s3://BUCKET/KEY"));
}

Test(s3, errors_tell_what_to_do)
{
	cr_expect_str_eq(explained(404, "<?xml?><Error><Code>NoSuchKey</Code>"
		"<Message>No.\nKey</Message></Error>", ""),
		"No such file or directory (HTTP 404): NoSuchKey: No. Key; "
		"to read all keys below a prefix, end it in /");
	cr_expect_str_eq(explained(301, "<Error><Code>PermanentRedirect</Code>"
		"</Error>", "eu-west-3"), "HTTP 301: PermanentRedirect; the "
		"bucket is in eu-west-3: set AWS_REGION=eu-west-3");
	cr_expect_str_eq(explained(400, "<Error><Code>", "\033[31m"),
			 "HTTP 400");
	cr_expect_str_eq(explained(403, "", "us-east-1"), "HTTP 403");
}
