/* Makes a line fit for everybody who may read a TrainJob. */
#include "failure/failure_text.h"

#include "report/mask_secrets.h"

#define CUT   " ..."
#define FIRST " failed first: "

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

struct ty_str ty_failure_text_line(struct ty_arena *a, struct ty_str text)
{
    ty_auto_buf b = { 0 };

    /* Masking first: a cut through a credential would hide it from the patterns. The text is one
     * line of a log, or of a status: both have bounds of their own. */
    ty_mask_secrets(ty_str_head(text, 8 * TY_FAILURE_TEXT_BYTES), &b);
    for (size_t i = 0; i < b.n; i++)
        if (is_control(b.p[i]))
            b.p[i] = ' ';
    struct ty_str line = ty_str_trim(ty_buf_str(&b));
    if (line.n <= TY_FAILURE_TEXT_BYTES)
        return ty_arena_str(a, line);
    struct ty_str head = ty_str_head(line, TY_FAILURE_TEXT_BYTES - strlen(CUT));
    return ty_str(ty_arena_printf(a, "%.*s" CUT, TY_ARG(head)));
}

struct ty_str ty_failure_text_note(struct ty_arena *a, struct ty_str headline)
{
    struct ty_str first = TY_LIT(FIRST);

    for (size_t i = 0; i + first.n <= headline.n; i++)
        if (memcmp(headline.p + i, first.p, first.n) == 0) {
            struct ty_str rest = { headline.p + i + first.n, headline.n - i - first.n };
            headline = ty_str(ty_arena_printf(a, "%.*s: %.*s", (int)i, headline.p, TY_ARG(rest)));
            break;
        }
    return ty_failure_text_line(a, headline);
}

const char *ty_failure_text_node(struct ty_arena *a, struct ty_str pod, struct ty_str job)
{
    size_t end = pod.n;

    if (ty_str_starts(pod, job) && pod.n > job.n + 1 && pod.p[job.n] == '-') {
        pod.p += job.n + 1;
        pod.n -= job.n + 1;
        end = pod.n;
    }
    while (end > 0 && pod.p[end - 1] != '-')
        end--;
    return ty_arena_cstr(a, end > 1 ? (struct ty_str){ pod.p, end - 1 } : pod);
}
