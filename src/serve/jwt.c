/* HEADER.PAYLOAD.SIGNATURE, each base64url without padding; only the payload is read. */
#include "serve/jwt.h"

#include "base/base64.h"
#include "json/json.h"

#define DEPTH  8u   /* kubernetes.io.pod.name is the deepest claim of a projected token */
#define VALUES 1000 /* it has about twenty, plus its audiences */

static bool is_part(struct ty_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '_'))
            return false;
    }
    return s.n > 0;
}

/* The payload, if there are exactly three parts. */
static bool payload_of(struct ty_str token, struct ty_str *ret)
{
    struct ty_str head, payload, signature;
    struct ty_str rest = ty_str_cut(token, '.', &head);

    rest = ty_str_cut(rest, '.', &payload);
    if (!rest.p || ty_str_cut(rest, '.', &signature).p)
        return false;
    *ret = payload;
    return is_part(head) && is_part(payload) && is_part(signature);
}

/* A string, or a list of strings. */
static bool has_audience(const struct ty_json *payload, struct ty_str audience)
{
    const struct ty_json *aud = ty_json_get(payload, "aud");

    ty_each_item (it, aud)
        if (ty_str_eq(ty_json_as_str(*it), audience))
            return true;
    return ty_str_eq(ty_json_as_str(aud), audience);
}

/* A time that is no integer is left to the TokenReview. */
static bool has_ended(const struct ty_json *payload, int64_t now_s)
{
    const struct ty_json *exp = ty_json_get(payload, "exp");

    if (ty_json_is(exp, TY_JSON_NUMBER))
        return false;
    return !ty_json_is(exp, TY_JSON_INT) || exp->i < now_s - TY_JWT_SKEW;
}

static bool has_namespace(const struct ty_json *payload, struct ty_str ns)
{
    struct ty_str sub = ty_json_str_at(payload, "sub"), want = TY_LIT("system:serviceaccount:");

    if (!ty_str_starts(sub, want))
        return false;
    sub = (struct ty_str){ sub.p + want.n, sub.n - want.n };
    return ty_str_starts(sub, ns) && sub.n > ns.n + 1 && sub.p[ns.n] == ':';
}

bool ty_jwt_is_plausible(struct ty_arena *a, struct ty_str token, struct ty_str audience,
                         struct ty_str ns, int64_t now_s)
{
    const struct ty_json_limits limits = { .depth = DEPTH, .values = VALUES };
    struct ty_str payload;

    if (token.n > TY_JWT_BYTES || !payload_of(token, &payload))
        return false;
    payload = ty_base64_decode_url(a, payload);
    const struct ty_json *v = payload.p ? ty_json_parse(a, payload, &limits, NULL) : NULL;
    return ty_json_is(v, TY_JSON_OBJECT) && has_audience(v, audience) && has_namespace(v, ns) &&
           !has_ended(v, now_s);
}
