/* Sentences about passwords. "the password is hunter2" has one, "the password is too short" has
 * none: words that sentences say of a password are shown, everything else is hidden. */
#include "report/mask_secrets_inner.h"

#include <strings.h>

static bool ends_any_case(struct ty_str word, const char *suffix)
{
    size_t n = strlen(suffix);

    return word.n > n + 1 && strncasecmp(word.p + word.n - n, suffix, n) == 0;
}

static bool is_word(struct ty_str s)
{
    enum { LONGEST = 20 };
    size_t i = 0;

    while (i < s.n && ((s.p[i] | 0x20) >= 'a' && (s.p[i] | 0x20) <= 'z'))
        i++;
    return i == s.n && s.n <= LONGEST;
}

/* Without what brackets and sentences put around it. */
static struct ty_str bare_word(struct ty_str s)
{
    while (s.n && (s.p[0] == '(' || s.p[0] == '['))
        s = (struct ty_str){ s.p + 1, s.n - 1 };
    while (s.n && memchr(".,:;!?)]}", s.p[s.n - 1], 9))
        s.n--;
    return s;
}

bool ty_mask_is_ordinary(struct ty_str value)
{
    /* clang-format off */
    static const char *const words[] = {
        "already", "also", "always", "bad", "blank", "correct", "empty", "false", "for", "forgotten", "from",
        "given", "good", "hidden", "incorrect", "invalid", "just", "kept", "known", "long", "longer", "lost",
        "mandatory", "necessary", "never", "nil", "none", "not", "now", "null", "okay", "only", "plaintext",
        "read", "reset", "right", "same", "secure", "sent", "set", "short", "shorter", "shown", "still",
        "strong", "taken", "the", "there", "too", "true", "undefined", "unknown", "unsafe", "unset", "valid",
        "very", "weak", "with", "written", "wrong", "your",
    };
    /* clang-format on */
    static const char *const suffixes[] = {
        "ed",   /* required */
        "ing",  /* missing */
        "able", /* unavailable */
        "ible", /* visible */
        "ly",   /* probably */
        "ent",  /* absent */
        "al",   /* optional */
        "tive", /* case-sensitive */
    };
    struct ty_str word = bare_word(value);

    if (word.n < 3)
        return true; /* "in", "8" of "8 characters long" */
    if (ty_str_starts(word, TY_LIT("case-")))
        word = (struct ty_str){ word.p + 5, word.n - 5 };
    if (!is_word(word))
        return false;
    for (size_t i = 0; i < TY_COUNT(suffixes); i++)
        if (ends_any_case(word, suffixes[i]))
            return true;
    for (size_t i = 0; i < TY_COUNT(words); i++)
        if (word.n == strlen(words[i]) && strncasecmp(word.p, words[i], word.n) == 0)
            return true;
    return false;
}
