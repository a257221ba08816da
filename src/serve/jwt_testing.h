/* Test tokens with arbitrary claims. */
#ifndef TY_SERVE_JWT_TESTING_H
#define TY_SERVE_JWT_TESTING_H

#include "base/base64.h"

/* base64url without padding. */
static inline const char *jwt_part(struct ty_arena *a, const char *text)
{
    struct ty_str s = ty_base64_encode(a, ty_str(text));
    char *p = ty_arena_cstr(a, s);

    for (char *c = p; *c; c++)
        *c = (char)(*c == '+' ? '-' : *c == '/' ? '_' : *c == '=' ? '\0' : *c);
    return p;
}

static inline const char *jwt_of(struct ty_arena *a, const char *payload, const char *signature)
{
    return ty_arena_printf(a, "%s.%s.%s", jwt_part(a, "{\"alg\":\"RS256\"}"), jwt_part(a, payload),
                           signature);
}

/* Of ServiceAccount "default" in this namespace, for this audience, valid for long. */
static inline const char *jwt_good(struct ty_arena *a, const char *ns, const char *audience,
                                   const char *signature)
{
    return jwt_of(a,
                  ty_arena_printf(a,
                                  "{\"aud\":[\"%s\"],\"exp\":4102444800,"
                                  "\"sub\":\"system:serviceaccount:%s:default\"}",
                                  audience, ns),
                  signature);
}

#endif
