/* Appends the failure summary to the condition Failed. */
#include "trainer/failure_note.h"

#include "trainer/condition.h"
#include "trainer/trainjob_reconcile.h"
#include "json/json.h"

#define MARK TY_LIT(TY_FAILURE_NOTE_MARK)

/* What follows the first separator; empty: there is none. */
static struct ty_str after_mark(struct ty_str message)
{
    for (size_t i = 0; i + MARK.n <= message.n; i++)
        if (memcmp(message.p + i, MARK.p, MARK.n) == 0)
            return (struct ty_str){ message.p + i + MARK.n, message.n - i - MARK.n };
    return (struct ty_str){ "", 0 };
}

static bool is_true(const struct ty_json *c)
{
    return ty_str_is(ty_json_str_at(c, "status"), "True");
}

struct ty_str ty_failure_note_stored(const struct ty_json *status)
{
    const struct ty_json *failed = ty_condition_find(status, "Failed");

    return is_true(failed) ? after_mark(ty_json_str_at(failed, "message"))
                           : (struct ty_str){ "", 0 };
}

void ty_failure_note_apply(struct ty_arena *a, const struct ty_json *was, struct ty_str note,
                           struct ty_json *status)
{
    const struct ty_json *failed = ty_condition_find(status, "Failed");
    struct ty_str message = ty_json_str_at(failed, "message");
    struct ty_str before = ty_json_str_at(ty_condition_find(was, "Failed"), "message");

    /* A missed deadline is kept as it was stored, with its note. */
    if (!is_true(failed) || ty_trainjob_is_refused(status) || after_mark(message).n)
        return;
    if (!note.n && before.n > message.n && ty_str_starts(before, message) &&
        ty_str_starts((struct ty_str){ before.p + message.n, before.n - message.n }, MARK))
        note = after_mark(before);
    if (!note.n)
        return;
    ty_condition_set(a, status, "Failed", "True", ty_json_str_at(failed, "reason"),
                     ty_str(ty_arena_printf(a, "%.*s%s%.*s", TY_ARG(message), TY_FAILURE_NOTE_MARK,
                                            TY_ARG(note))),
                     ty_json_str_at(failed, "lastTransitionTime"));
}
