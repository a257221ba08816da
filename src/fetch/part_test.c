#include "fetch/part.h"
#include "fetch/testing.h"

#include <errno.h>

static struct ty_download_dir *opened(struct ty_arena *a)
{
    struct ty_download_dir *s = NULL;
    assert_int_equal(ty_download_dir_open(a, "d", &s, NULL), 0);
    return s;
}

static struct ty_part part_of(struct ty_download_dir *s, struct ty_arena *a, const char *name)
{
    struct ty_part p;
    struct ty_err err = { 0 };
    if (ty_part_open(s, a, name, &p, &err) < 0)
        fail_msg("%s", err.text);
    return p;
}

static void test_from_first_byte_to_name(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = opened(a);
    struct ty_part p = part_of(s, a, "x/y/z");
    assert_int_equal(p.have, 0);
    assert_string_equal(p.tag, "");
    assert_int_equal(ty_part_restart(s, &p, "x/y/z", "t1", 5, NULL), 0);
    assert_int_equal(ty_part_write(s, &p, "x/y/z", TY_LIT("he"), NULL), 0);
    ty_part_close(&p); /* killed here */

    p = part_of(s, a, "x/y/z");
    assert_int_equal(p.have, 2);
    assert_int_equal(p.size, 5);
    assert_string_equal(p.tag, "t1");
    assert_int_equal(ty_part_write(s, &p, "x/y/z", TY_LIT("llo"), NULL), 0);
    assert_int_equal(ty_part_finish(s, &p, "x/y/z", "t1", NULL), 0);
    assert_int_equal(p.fd, -1);
    box_holds("d/x/y/z", "hello");
    ty_download_dir_close(s);
    s = opened(a);
    assert_string_equal(ty_download_dir_tag(s, "x/y/z", NULL), "t1");
    p = part_of(s, a, "x/y/z"); /* nothing is left of it */
    assert_int_equal(p.have, 0);
    assert_string_equal(p.tag, "");
    ty_part_close(&p);
    ty_download_dir_close(s);
}

static void test_restart_forgets(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = opened(a);
    struct ty_part p = part_of(s, a, "f");
    assert_int_equal(ty_part_restart(s, &p, "f", "t1", 5, NULL), 0);
    assert_int_equal(ty_part_write(s, &p, "f", TY_LIT("hello"), NULL), 0);
    assert_int_equal(ty_part_restart(s, &p, "f", "t2", -1, NULL), 0);
    assert_int_equal(ty_part_write(s, &p, "f", TY_LIT("abc"), NULL), 0);
    ty_part_close(&p);
    p = part_of(s, a, "f");
    assert_int_equal(p.have, 3);
    assert_int_equal(p.size, -1);
    assert_string_equal(p.tag, "t2");
    ty_part_close(&p);
    ty_download_dir_close(s);
}

static void test_an_odd_tag_is_none(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = opened(a);
    static const char *const odd[] = { "", "{", "[]", "{\"name\":\"g\",\"tag\":\"t\",\"size\":1}",
                                       "{\"name\":\"f\",\"tag\":\"t\"}" };
    for (size_t i = 0; i < TY_COUNT(odd); i++) {
        struct ty_part p = part_of(s, a, "f");
        char file[80];
        snprintf(file, sizeof(file), "d/.trainyard/%s.tag", p.id);
        ty_part_close(&p);
        box_write(file, odd[i]);
        p = part_of(s, a, "f");
        assert_string_equal(p.tag, "");
        ty_part_close(&p);
    }
    ty_download_dir_close(s);
}

/* A run that copied may have been killed when the part was a second name of the user's file. */
static void test_the_users_file_is_not_written_to(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = opened(a);
    struct ty_part p = part_of(s, a, "f");
    char file[80];
    snprintf(file, sizeof(file), "d/.trainyard/%s.part", p.id);
    ty_part_close(&p);
    box_write("mine", "precious");
    assert_int_equal(unlink(file), 0);
    assert_int_equal(link("mine", file), 0);
    p = part_of(s, a, "f");
    assert_int_equal(p.have, 0);
    assert_int_equal(ty_part_restart(s, &p, "f", "t", -1, NULL), 0);
    ty_part_close(&p);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(symlink("../../mine", file), 0);
    p = part_of(s, a, "f");
    assert_int_equal(ty_part_write(s, &p, "f", TY_LIT("x"), NULL), 0);
    ty_part_close(&p);
    box_holds("mine", "precious");
    ty_download_dir_close(s);
}

static void test_a_folder_in_the_way(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = opened(a);
    struct ty_err err = { 0 };
    assert_int_equal(mkdir("d/f", 0777), 0);
    box_write("d/g", "");
    struct ty_part p = part_of(s, a, "f");
    assert_true(ty_part_finish(s, &p, "f", "t", &err) < 0);
    assert_has(err.text, "a file and a folder want the same name");
    p = part_of(s, a, "g/h");
    assert_true(ty_part_finish(s, &p, "g/h", "t", &err) < 0);
    assert_has(err.text, "a file and a folder want the same name");
    ty_download_dir_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(test_from_first_byte_to_name), box_test(test_restart_forgets),
        box_test(test_an_odd_tag_is_none),      box_test(test_the_users_file_is_not_written_to),
        box_test(test_a_folder_in_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
