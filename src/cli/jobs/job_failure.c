#include "cli/jobs/job_failure.h"

#include "trainer/failure_note.h"
#include "trainer/trainjob_reconcile.h"

struct ty_str ty_job_failure_note(struct ty_str message, struct ty_str *ret_own)
{
    const struct ty_str mark = TY_LIT(TY_FAILURE_NOTE_MARK);
    const char *at = message.n ? memmem(message.p, message.n, mark.p, mark.n) : NULL;
    struct ty_str first, rest = ty_str_cut(message, '\n', &first);

    *ret_own = first;
    if (rest.n)
        return rest;
    if (!at)
        return TY_LIT("");
    const size_t before = (size_t)(at - message.p);
    *ret_own = (struct ty_str){ message.p, before };
    return (struct ty_str){ at + mark.n, message.n - before - mark.n };
}

struct ty_str ty_job_failure_of(const struct ty_json *job)
{
    const struct ty_json *c = ty_condition_find(ty_json_get(job, "status"), "Failed");
    struct ty_str own;

    if (!c || !ty_str_is(ty_json_str_at(c, "status"), "True"))
        return TY_LIT("");
    return ty_job_failure_note(ty_json_str_at(c, "message"), &own);
}
