#include "base/buf.h"
#include "fetch/testing.h"
#include "fetch/xml.h"

#include <errno.h>

static int note(void *ctx, const char *path, struct ty_str text, struct ty_err *err)
{
    (void)err;
    ty_buf_printf(ctx, "%s=%.*s;", path, TY_ARG(text));
    return strcmp(path, "stop") == 0 ? -ECANCELED : 0;
}

static void reads(const char *xml, const char *want)
{
    ty_auto_buf b = { 0 };
    struct ty_err err = { 0 };
    if (ty_xml_parse(ty_str(xml), note, &b, &err) < 0)
        fail_msg("%s: %s", xml, err.text);
    ty_buf_chr(&b, '\0');
    assert_string_equal(b.p, want);
}

static void refuses(const char *xml, const char *why)
{
    ty_auto_buf b = { 0 };
    struct ty_err err = { 0 };
    if (ty_xml_parse(ty_str(xml), note, &b, &err) == 0)
        fail_msg("%s is accepted", xml);
    assert_has(err.text, why);
}

static void test_what_stores_send(void **state)
{
    (void)state;
    reads("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<L xmlns='http://a/>b'><!-- <no> --><C><K>a &amp; b</K><S>3</S></C><C/></L>\n",
          "L/C/K=a & b;L/C/S=3;L/C=;L/C=;L=;");
    reads("\xef\xbb\xbf<a>&lt;&gt;&quot;&apos;&#65;&#x1F600;&#xE9;</a>",
          "a=<>\"'A\xf0\x9f\x98\x80\xc3\xa9;");
    reads("<a><![CDATA[<&]]>x</a>", "a=<&x;");
    reads("<a b=\"/\" />", "a=;");
    reads("<a>\n <b> t </b>\n</a>", "a/b= t ;a=\n;");
}

static void test_refused(void **state)
{
    (void)state;
    refuses("", "ends too early");
    refuses("<a>", "ends too early");
    refuses("<a></b>", "fits no start");
    refuses("</a>", "fits no start");
    refuses("<a/><b/>", "second root");
    refuses("x<a/>", "outside the root");
    refuses("<a/>&amp;", "outside the root");
    refuses("<a", "tag has no end");
    refuses("<>", "tag has no name");
    refuses("<a=1>", "tag has no name");
    refuses("<a>&nbsp;</a>", "unknown entity");
    refuses("<a>&#0;</a>", "unknown entity");
    refuses("<a>&#xD800;</a>", "unknown entity");
    refuses("<a>&#x110000;</a>", "unknown entity");
    refuses("<a>&#99999999999;</a>", "unknown entity");
    refuses("<a>&#1x;</a>", "unknown entity");
    refuses("<a>&amp</a>", "entity has no end");
    refuses("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "document types");
    refuses("<a><!-- </a>", "comment has no end");
    refuses("<a><![CDATA[</a>", "CDATA section has no end");
}

static void test_depth_has_a_ceiling(void **state)
{
    (void)state;
    ty_auto_buf b = { 0 };
    for (size_t i = 0; i < 1000; i++)
        ty_buf_cstr(&b, "<ab>");
    ty_buf_chr(&b, '\0');
    refuses(b.p, "nested too deeply");
}

static void test_the_reader_may_stop(void **state)
{
    (void)state;
    ty_auto_buf b = { 0 };
    assert_int_equal(ty_xml_parse(TY_LIT("<stop/>"), note, &b, NULL), -ECANCELED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_stores_send),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_depth_has_a_ceiling),
        cmocka_unit_test(test_the_reader_may_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
