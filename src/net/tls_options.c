/* Translates Go's cipher suite names. */
#include "net/tls_options.h"
#include "base/buf.h"

struct suite {
    const char *go, *exchange, *cipher, *mac;
    bool weak; /* Go lists it as insecure: accepted with a note */
};
static const struct suite suites[] = {
    { "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA", "AES-128-GCM", "AEAD", false },
    { "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA", "AES-256-GCM", "AEAD", false },
    { "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA", "AES-128-GCM", "AEAD", false },
    { "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA", "AES-256-GCM", "AEAD", false },
    { "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA", "CHACHA20-POLY1305", "AEAD",
      false },
    { "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA", "CHACHA20-POLY1305", "AEAD",
      false },
    { "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA", "CHACHA20-POLY1305", "AEAD", false },
    { "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA", "CHACHA20-POLY1305", "AEAD", false },
    { "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA", "AES-128-CBC", "SHA1", false },
    { "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA", "AES-256-CBC", "SHA1", false },
    { "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA", "AES-128-CBC", "SHA1", false },
    { "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA", "AES-256-CBC", "SHA1", false },
    { "TLS_RSA_WITH_AES_128_GCM_SHA256", "RSA", "AES-128-GCM", "AEAD", true },
    { "TLS_RSA_WITH_AES_256_GCM_SHA384", "RSA", "AES-256-GCM", "AEAD", true },
    { "TLS_RSA_WITH_AES_128_CBC_SHA", "RSA", "AES-128-CBC", "SHA1", true },
    { "TLS_RSA_WITH_AES_256_CBC_SHA", "RSA", "AES-256-CBC", "SHA1", true },
    { "TLS_RSA_WITH_AES_128_CBC_SHA256", "RSA", "AES-128-CBC", "SHA256", true },
    { "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA", "AES-128-CBC", "SHA256", true },
    { "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA", "AES-128-CBC", "SHA256", true },
    { "TLS_RSA_WITH_3DES_EDE_CBC_SHA", "RSA", "3DES-CBC", "SHA1", true },
    { "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", "ECDHE-RSA", "3DES-CBC", "SHA1", true },
    { "TLS_AES_128_GCM_SHA256", NULL, NULL, NULL, false }, /* TLS 1.3: always enabled */
    { "TLS_AES_256_GCM_SHA384", NULL, NULL, NULL, false },
    { "TLS_CHACHA20_POLY1305_SHA256", NULL, NULL, NULL, false },
};

static void add_note(struct ty_tls_options_notes *notes, const char *text)
{
    if (notes->n < TY_COUNT(notes->v))
        notes->v[notes->n++] = text;
}

static const struct suite *suite_named(const char *go)
{
    for (size_t i = 0; i < TY_COUNT(suites); i++)
        if (strcmp(suites[i].go, go) == 0)
            return &suites[i];
    return NULL;
}

static void add_versions(struct ty_arena *a, struct ty_buf *out, const char *min,
                         struct ty_tls_options_notes *notes)
{
    static const char *const versions[] = { "1.3", "1.2", "1.1", "1.0" };
    size_t last = 1;

    if (min && min[0]) {
        size_t i = 0;
        while (i < 4 && strcmp(versions[i], min) != 0)
            i++;
        if (i < 4)
            last = i;
        else
            add_note(notes,
                     ty_arena_printf(a, "tls.minVersion \"%s\" is unknown: 1.2 is used", min));
    }
    ty_buf_cstr(out, ":-VERS-ALL");
    for (size_t i = 0; i <= last; i++)
        ty_buf_printf(out, ":+VERS-TLS%s", versions[i]);
}

/* Adds each word once. */
static void add_word(struct ty_buf *out, const char *word)
{
    struct ty_str rest = ty_buf_str(out), one;

    while (rest.n) {
        rest = ty_str_cut(rest, ':', &one);
        if (one.n && ty_str_is((struct ty_str){ one.p + 1, one.n - 1 }, word))
            return;
    }
    ty_buf_printf(out, ":+%s", word);
}

static void add_ciphers(struct ty_arena *a, struct ty_buf *out, const char *const *ciphers,
                        struct ty_tls_options_notes *notes)
{
    static const char *const always[] = { "AES-128-GCM", "AES-256-GCM", "CHACHA20-POLY1305",
                                          "AEAD" };
    ty_auto_buf words = { 0 };
    size_t n = 0;

    for (; ciphers && *ciphers; ciphers++) {
        const struct suite *s = suite_named(*ciphers);
        if (!s) {
            add_note(notes, ty_arena_printf(a, "tls.cipherSuites: \"%s\" is unknown and ignored",
                                            *ciphers));
            continue;
        }
        if (s->weak)
            add_note(notes, ty_arena_printf(a, "tls.cipherSuites: \"%s\" is insecure", *ciphers));
        if (!s->exchange)
            continue;
        n++;
        add_word(&words, s->exchange);
        add_word(&words, s->cipher);
        add_word(&words, s->mac);
    }
    if (!n)
        return;
    for (size_t i = 0; i < 4; i++)
        add_word(&words, always[i]);
    ty_buf_cstr(out, ":-KX-ALL:-CIPHER-ALL:-MAC-ALL");
    ty_buf_add(out, ty_buf_str(&words));
}

const char *ty_tls_options_priority(struct ty_arena *a, const char *min_version,
                                    const char *const *ciphers, struct ty_tls_options_notes *notes)
{
    ty_auto_buf out = { 0 };

    ty_buf_cstr(&out, "NORMAL:%SERVER_PRECEDENCE");
    add_versions(a, &out, min_version, notes);
    add_ciphers(a, &out, ciphers, notes);
    return ty_arena_cstr(a, ty_buf_str(&out));
}
