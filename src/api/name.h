/* Kubernetes' rules for names, labels and paths, with its messages. */
#ifndef TY_API_NAME_H
#define TY_API_NAME_H

#include "base/arena.h"
#include "base/str.h"

bool ty_name_is_dns1123_label(struct ty_str s);     /* [a-z0-9]([-a-z0-9]*[a-z0-9])?, at most 63 */
bool ty_name_is_dns1123_subdomain(struct ty_str s); /* labels joined by dots, at most 253 */
bool ty_name_is_dns1035_label(struct ty_str s);     /* starts with a letter, at most 63 */
bool ty_name_is_qualified(struct ty_str s);         /* label keys: [prefix/]name */
bool ty_name_is_label_value(struct ty_str s);
/* The first rule that a label's key, or its value, breaks, as the API server says it; NULL: none.
 */
const char *ty_name_qualified_problem(struct ty_str s);
const char *ty_name_label_value_problem(struct ty_str s);

/* "a lowercase RFC 1123 subdomain must consist of …": the message of k8s.io/apimachinery. */
extern const char ty_name_dns1123_subdomain_msg[];
extern const char ty_name_dns1123_label_msg[];
extern const char ty_name_dns1035_label_msg[];

/* Checks the manager of a runtime patch, "acme.io/foo": returns the nth problem (from 0), or NULL
 * if there are not so many; *ret_value is the part that is wrong (the whole, the host, or the
 * path). */
const char *ty_name_domain_path_problem(struct ty_str s, unsigned nth, struct ty_str *ret_value);

#endif
