#include "store/history/history_read_testing.h"

#include <fcntl.h>
#include <sys/stat.h>

static int open_code(struct history_read_world *w, enum ty_history_db_mode use, struct ty_err *err)
{
    struct ty_history_db *d = NULL;
    int r = ty_history_db_open(w->path, use, &d, err);

    ty_history_db_close(d);
    return r;
}

static void sql(struct history_read_world *w, const char *text)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(w->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void test_a_reader_makes_nothing(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };

    assert_int_equal(open_code(w, TY_HISTORY_DB_READ, &err), -ENOENT);
    assert_int_equal(access(w->path, F_OK), -1);
}

static void test_only_its_owner_reads_it(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };
    struct stat st;

    assert_int_equal(open_code(w, TY_HISTORY_DB_WRITE, &err), 0);
    assert_int_equal(stat(w->path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(open_code(w, TY_HISTORY_DB_WRITE, &err), 0); /* again, as it is */
    assert_int_equal(open_code(w, TY_HISTORY_DB_READ, &err), 0);
}

static void test_a_newer_file_is_refused(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };

    sql(w, "PRAGMA user_version = 7");
    assert_int_equal(open_code(w, TY_HISTORY_DB_WRITE, &err), -EPROTO);
    assert_has(err.text, "made by a newer trainyard (layout 7, this one knows 1)");
    assert_int_equal(open_code(w, TY_HISTORY_DB_READ, &err), -EPROTO);
}

static void test_garbage_is_no_history(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };
    FILE *f = fopen(w->path, "we");

    assert_non_null(f);
    for (int i = 0; i < 1000; i++)
        fputs("this is no database ", f);
    fclose(f);
    assert_int_equal(open_code(w, TY_HISTORY_DB_WRITE, &err), -EIO);
    assert_has(err.text, "file is not a database");
    assert_int_equal(open_code(w, TY_HISTORY_DB_READ, &err), -EIO);
}

static void test_an_empty_file_is_filled(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };

    close(open(w->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    assert_int_equal(open_code(w, TY_HISTORY_DB_READ, &err), -ENOENT);
    assert_int_equal(open_code(w, TY_HISTORY_DB_WRITE, &err), 0);
    assert_int_equal(open_code(w, TY_HISTORY_DB_READ, &err), 0);
}

static void test_busy_is_told_apart(void **state)
{
    struct history_read_world *w = *state;
    struct ty_history_db *one = history_read_open(w, TY_HISTORY_DB_WRITE),
                         *two = history_read_open(w, TY_HISTORY_DB_WRITE);
    struct ty_err err = { 0 };

    assert_int_equal(ty_history_db_exec(one, TY_SQL_BEGIN, &err), 0);
    ty_history_db_busy_timeout(two, 1);
    assert_int_equal(ty_history_db_exec(two, TY_SQL_BEGIN, &err), -EAGAIN);
    assert_int_equal(ty_history_db_exec(one, TY_SQL_COMMIT, &err), 0);
    assert_int_equal(ty_history_db_exec(two, TY_SQL_BEGIN, &err), 0);
    assert_int_equal(ty_history_db_exec(two, TY_SQL_ROLLBACK, &err), 0);
    ty_history_db_close(one);
    ty_history_db_close(two);
}

static void test_runs_get_their_own_numbers(void **state)
{
    struct history_read_world *w = *state;
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_WRITE);
    struct ty_history_db_run one = w->run, two = w->run;
    struct ty_err err = { 0 };

    assert_int_equal(ty_history_db_begin_run(d, &one, &err), 0);
    assert_int_equal(ty_history_db_begin_run(d, &two, &err), 0);
    assert_int_equal(one.id, 1);
    assert_int_equal(two.id, 2);
    assert_int_equal(ty_history_db_end_run(d, 1, 5000, "Complete", &err), 0);
    ty_history_db_close(d);
}

static void test_a_path_with_odd_letters(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };

    snprintf(w->path, sizeof(w->path), "%s/a?b#c%%20.db", w->dir);
    assert_int_equal(open_code(w, TY_HISTORY_DB_WRITE, &err), 0);
    assert_int_equal(access(w->path, F_OK), 0);
}

/* A job may put one there: what it points to may belong to others. */
static void test_a_link_is_not_followed(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };
    char victim[sizeof(w->path) + 8];

    snprintf(victim, sizeof(victim), "%s.victim", w->path);
    assert_int_equal(symlink(victim, w->path), 0);
    assert_int_equal(open_code(w, TY_HISTORY_DB_WRITE, &err), -EBADF);
    assert_int_equal(access(victim, F_OK), -1);
    int fd = open(victim, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    close(fd);
    assert_int_equal(open_code(w, TY_HISTORY_DB_WRITE, &err), -EBADF);
    assert_int_equal(open_code(w, TY_HISTORY_DB_READ, &err), -EBADF);
    assert_int_equal(unlink(victim), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAST_T(test_a_reader_makes_nothing),     PAST_T(test_only_its_owner_reads_it),
        PAST_T(test_a_newer_file_is_refused),    PAST_T(test_garbage_is_no_history),
        PAST_T(test_an_empty_file_is_filled),    PAST_T(test_busy_is_told_apart),
        PAST_T(test_runs_get_their_own_numbers), PAST_T(test_a_path_with_odd_letters),
        PAST_T(test_a_link_is_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
