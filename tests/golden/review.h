/* Checks every admission result of a golden case again, through the webhooks as the API server
 * calls them. */
#ifndef TY_GOLDEN_REVIEW_H
#define TY_GOLDEN_REVIEW_H

#include "serve/webhook.h"
#include "trainer/admission.h"

/* NULL if the webhooks give the same result as `v`, and change `before` into `after` if it is
 * accepted; else the difference. Lives with the arena. */
const char *review_differs(struct ty_arena *a, const struct ty_webhook *w, enum ty_admission_op op,
                           const struct ty_json *before, const struct ty_json *old,
                           const struct ty_json *after, const struct ty_admission_response *v);

#endif
