/* The arena: alignment, zeroing, reuse, and death at the ceiling. */
#include "base/arena.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/budget.h"

static void aligned_and_zeroed(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 22);
    for (size_t round = 0; round < 2; round++) {
        for (size_t n = 0; n < 400; n++) {
            size_t align = (size_t)1 << (n % 5);
            unsigned char *p = ty_arena_alloc(a, n, align);
            assert_int_equal((uintptr_t)p % align, 0);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(p[i], 0);
            memset(p, 0xa5, n); /* so that the second round finds no zeroes by luck */
        }
        ty_arena_reset(a);
    }
}

/* Item by item, with gaps, beside another list: no item is lost, unwritten items are zero, and the
 * array grows rarely. */
static void lists_grow(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 22);
    uint64_t *big = NULL, *last = NULL;
    char *small = NULL;
    size_t cap_big = 0, cap_small = 0, moves = 0;
    for (size_t n = 0; n < 3000; n += 3) {
        ty_room(a, big, n, cap_big);
        ty_room(a, small, n / 3, cap_small);
        assert_true(n < cap_big && n / 3 < cap_small);
        moves += big != last;
        last = big;
        big[n] = n + 1;
        small[n / 3] = 'x';
    }
    for (size_t n = 0; n < cap_big; n++)
        assert_int_equal(big[n], n < 3000 && n % 3 == 0 ? n + 1 : 0);
    for (size_t n = 0; n < cap_small; n++)
        assert_int_equal(small[n], n < 1000 ? 'x' : 0);
    assert_int_equal(moves, 9);       /* 16 items to 4096 */
    ty_room(a, big, 100000, cap_big); /* far behind the end: at once */
    assert_true(cap_big > 100000 && big[2997] == 2998 && big[100000] == 0);
}

static void pieces_do_not_overlap(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    enum { N = 300 };
    char *p[N];
    /* Small ones between big ones: big ones have blocks of their own. */
    for (size_t i = 0; i < N; i++) {
        size_t n = i % 10 == 0 ? 20000 : i + 1;
        p[i] = ty_arena_raw(a, n, 1);
        memset(p[i], (int)(i & 0x7f), n);
    }
    for (size_t i = 0; i < N; i++) {
        size_t n = i % 10 == 0 ? 20000 : i + 1;
        for (size_t k = 0; k < n; k++)
            assert_int_equal(p[i][k], (int)(i & 0x7f));
    }
}

static void reset_keeps_the_first_block(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    void *first = ty_arena_alloc(a, 8, 8);
    for (int i = 0; i < 100; i++)
        ty_arena_alloc(a, 5000, 8);
    assert_true(ty_arena_used(a) >= 500000);
    ty_arena_reset(a);
    assert_int_equal(ty_arena_used(a), 0);
    assert_ptr_equal(ty_arena_alloc(a, 8, 8), first);
    ty_arena_free(NULL);
}

static void texts(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char big[2000];
    memset(big, 'x', sizeof(big));
    big[sizeof(big) - 1] = '\0';
    assert_string_equal(ty_arena_printf(a, "%s-%d", "a", 7), "a-7");
    assert_string_equal(ty_arena_printf(a, "%s", big), big);
    for (int n = 250; n < 260; n++)
        assert_int_equal(strlen(ty_arena_printf(a, "%.*s", n, big)), n);
    assert_string_equal(ty_arena_strndup(a, "abcdef", 3), "abc");
    assert_string_equal(ty_arena_strndup(a, NULL, 0), "");
    assert_string_equal(ty_arena_strdup(a, "abc"), "abc");
    assert_string_equal(ty_arena_cstr(a, (struct ty_str){ "abcdef", 3 }), "abc");
    assert_string_equal(ty_arena_cstr(a, (struct ty_str){ 0 }), "");
    assert_true(ty_str_is(ty_arena_str(a, (struct ty_str){ "abcdef", 3 }), "abc"));
}

/* Past its ceiling it says so, and what it hands out is as good as before. */
static void input_makes_it_full(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new_input(100000, NULL);
    for (int i = 0; i < 50; i++)
        ty_arena_alloc(a, 1000, 1);
    assert_false(ty_arena_full(a));
    for (int i = 0; i < 100; i++)
        memset(ty_arena_alloc(a, 1000, 1), 'x', 1000);
    assert_true(ty_arena_full(a));
    memset(ty_arena_alloc(a, 10 << 20, 1), 'x', 10 << 20);
    ty_arena_reset(a);
    assert_false(ty_arena_full(a));
    ty_arena_alloc(a, 100001, 1); /* one piece alone */
    assert_true(ty_arena_full(a));
}

static void a_budget_makes_it_full(void **state)
{
    (void)state;
    struct ty_budget b = { .ceiling = 1 << 20 };
    struct ty_arena *one = ty_arena_new_input(1 << 30, &b);
    struct ty_arena *two = ty_arena_new_input(1 << 30, &b);
    ty_arena_alloc(one, 600000, 1);
    assert_true(b.used >= 600000 && !ty_arena_full(one));
    ty_arena_alloc(two, 600000, 1);
    assert_true(b.used >= 1200000 && ty_arena_full(two) && !ty_arena_full(one));
    ty_arena_reset(two);
    assert_false(ty_arena_full(two));
    assert_true(b.used < 700000);
    ty_arena_free(one);
    ty_arena_free(two);
    assert_int_equal(b.used, 0);
}

/* A full arena knows which limit was reached: a shared budget may have room later. */
static void a_budget_starves_it(void **state)
{
    (void)state;
    struct ty_budget b = { .ceiling = 1 << 20 };
    ty_auto_arena *a = ty_arena_new_input(400000, &b);

    assert_false(ty_arena_starved(a));
    ty_budget_charge(&b, 900000); /* used by others */
    ty_arena_alloc(a, 200000, 1);
    assert_true(ty_arena_full(a) && ty_arena_starved(a));
    ty_arena_alloc(a, 300000, 1); /* too much for its own ceiling, too */
    assert_true(ty_arena_full(a) && !ty_arena_starved(a));
    ty_arena_reset(a);
    assert_false(ty_arena_starved(a));
    ty_arena_fill(a); /* said by who has seen that it would not fit */
    assert_true(ty_arena_full(a) && ty_arena_starved(a));
    ty_arena_reset(a);
    ty_budget_release(&b, 900000);
    ty_arena_fill(a);
    assert_true(ty_arena_full(a) && !ty_arena_starved(a));
    ty_arena_reset(a);
    ty_arena_alloc(a, 500000, 1);
    assert_true(ty_arena_full(a) && !ty_arena_starved(a));
    ty_auto_arena *small = ty_arena_new_input(1000, &b); /* all of it is paid for */
    ty_budget_charge(&b, 2 << 20);
    ty_arena_fill(small);
    assert_true(ty_arena_full(small) && !ty_arena_starved(small));
}

/* Allocates `times` pieces of `n` bytes in a child; gives the signal that ended it, 0 none. */
static int allocate_in_child(bool input, size_t ceiling, size_t n, int times)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct sigaction plain = { .sa_handler = SIG_DFL };
        sigaction(SIGABRT, &plain, NULL);
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        struct ty_arena *a = input ? ty_arena_new_input(ceiling, NULL) : ty_arena_new(ceiling);
        for (int i = 0; i < times; i++)
            ty_arena_alloc(a, n, 1);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void dies_at_the_ceiling(void **state)
{
    (void)state;
    /* Half of each piece's room is left for the gaps of an ASan build. */
    assert_int_equal(allocate_in_child(false, 100000, 1000, 50), 0);
    assert_int_equal(allocate_in_child(false, 100000, 1000, 101), SIGABRT);
    assert_int_equal(allocate_in_child(false, 100, 101, 1), SIGABRT);
    assert_int_equal(allocate_in_child(false, 1 << 20, (size_t)1 << 19, 1), 0);
    assert_int_equal(allocate_in_child(false, 1 << 20, (size_t)1 << 19, 3), SIGABRT);
    assert_int_equal(allocate_in_child(false, SIZE_MAX, SIZE_MAX - 4, 1), SIGABRT);
    /* A loop that never checks ty_arena_full reaches the end of the slack. */
    assert_int_equal(allocate_in_child(true, 100000, TY_ARENA_SLACK / 2, 1), 0);
    assert_int_equal(allocate_in_child(true, 100000, TY_ARENA_SLACK / 2, 3), SIGABRT);
}

static void what_is_left(void **state)
{
    struct ty_budget b = { .ceiling = 100000 };
    ty_auto_arena *own = ty_arena_new(1000);
    ty_auto_arena *a = ty_arena_new_input(50000, NULL), *c = ty_arena_new_input(500000, &b);

    (void)state;
    assert_true(ty_arena_left(own) == SIZE_MAX);
    ty_arena_raw(a, 10000, 1);
    assert_in_range(ty_arena_left(a), 39900, 40000);
    assert_in_range(ty_arena_left(c), ty_budget_left(&b), 100000);
    ty_budget_charge(&b, 100000);
    assert_true(ty_arena_left(c) > 0); /* of the block that is there */
    ty_budget_release(&b, 100000);
    ty_arena_fill(a);
    assert_true(ty_arena_full(a) && ty_arena_left(a) == 0);
    ty_arena_reset(a);
    assert_in_range(ty_arena_left(a), 49900, 50000);
}

static void appends(void **state)
{
    (void)state;
    struct item {
        struct item *next;
        int n;
    } items[3] = { { .n = 0 }, { .n = 1 }, { .n = 2 } }, *first = NULL, *last = NULL;
    int n = 0;

    for (size_t i = 0; i < TY_COUNT(items); i++)
        ty_append(first, last, &items[i]);
    for (const struct item *it = first; it; it = it->next)
        assert_int_equal(it->n, n++);
    assert_int_equal(n, 3);
    assert_ptr_equal(last, &items[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_and_zeroed),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(lists_grow),
        cmocka_unit_test(reset_keeps_the_first_block),
        cmocka_unit_test(texts),
        cmocka_unit_test(input_makes_it_full),
        cmocka_unit_test(a_budget_makes_it_full),
        cmocka_unit_test(a_budget_starves_it),
        cmocka_unit_test(dies_at_the_ceiling),
        cmocka_unit_test(what_is_left),
        cmocka_unit_test(appends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
