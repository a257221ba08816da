/* The API server refuses objects whose names break these rules, so trainyard refuses the same names
 * earlier, with the same messages. Lengths are in bytes, as Go's len(). */
#include "api/name.h"

#define LABEL_FMT    "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define DNS_1035_FMT "[a-z]([-a-z0-9]*[a-z0-9])?"
#define SUBDOMAIN_MSG                                                                              \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "  \
    "for validation is '" LABEL_FMT "(\\." LABEL_FMT ")*')"
#define KEY_FMT "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define KEY_MSG                                                                                    \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '" KEY_FMT "')"
#define LABEL_MAX     63
#define SUBDOMAIN_MAX 253

const char ty_name_dns1123_subdomain_msg[] = SUBDOMAIN_MSG;
const char ty_name_dns1123_label_msg[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must "
    "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
    "validation is '" LABEL_FMT "')";
const char ty_name_dns1035_label_msg[] =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '" DNS_1035_FMT "')";

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_lower_alnum(char c)
{
    return is_lower(c) || (c >= '0' && c <= '9');
}

static bool is_alnum(char c)
{
    return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

/* The common form: `edge` characters at both ends, `edge` or one of `inner` in between. */
static bool has_shape(struct ty_str s, bool (*edge)(char c), const char *inner)
{
    if (s.n == 0 || !edge(s.p[0]) || !edge(s.p[s.n - 1]))
        return false;
    for (size_t i = 1; i + 1 < s.n; i++) {
        if (!edge(s.p[i]) && (s.p[i] == '\0' || !strchr(inner, s.p[i])))
            return false;
    }
    return true;
}

/* Labels of any length joined by dots; as in Kubernetes, a label may exceed 63 bytes. */
static bool subdomain_shaped(struct ty_str s)
{
    struct ty_str part;

    do {
        s = ty_str_cut(s, '.', &part);
        if (!has_shape(part, is_lower_alnum, "-"))
            return false;
    } while (s.p);
    return true;
}

bool ty_name_is_dns1123_label(struct ty_str s)
{
    return s.n <= LABEL_MAX && has_shape(s, is_lower_alnum, "-");
}

bool ty_name_is_dns1123_subdomain(struct ty_str s)
{
    return s.n <= SUBDOMAIN_MAX && subdomain_shaped(s);
}

bool ty_name_is_dns1035_label(struct ty_str s)
{
    return ty_name_is_dns1123_label(s) && is_lower(s.p[0]);
}

const char *ty_name_qualified_problem(struct ty_str s)
{
    struct ty_str prefix, name = ty_str_cut(s, '/', &prefix);

    if (!name.p)
        name = s; /* no prefix */
    else if (memchr(name.p, '/', name.n))
        return "a valid label key " KEY_MSG
               " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    else if (prefix.n == 0)
        return "prefix part must be non-empty";
    else if (prefix.n > SUBDOMAIN_MAX)
        return "prefix part must be no more than 253 bytes";
    else if (!subdomain_shaped(prefix))
        return "prefix part " SUBDOMAIN_MSG;
    if (name.n == 0)
        return "name part must be non-empty";
    if (name.n > LABEL_MAX)
        return "name part must be no more than 63 bytes";
    return has_shape(name, is_alnum, "-_.") ? NULL : "name part " KEY_MSG;
}

bool ty_name_is_qualified(struct ty_str s)
{
    return !ty_name_qualified_problem(s);
}

const char *ty_name_label_value_problem(struct ty_str s)
{
    if (s.n > LABEL_MAX)
        return "must be no more than 63 bytes";
    return s.n == 0 || has_shape(s, is_alnum, "-_.")
               ? NULL
               : "a valid label must be an empty string or consist of alphanumeric characters, "
                 "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
                 "'MyValue',  or 'my_value',  or '12345', regex used for validation is '(" KEY_FMT
                 ")?')";
}

bool ty_name_is_label_value(struct ty_str s)
{
    return !ty_name_label_value_problem(s);
}

static bool is_path(struct ty_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!is_alnum(s.p[i]) && (s.p[i] == '\0' || !strchr("/-._~%!$&'()*+,;=:", s.p[i])))
            return false;
    }
    return s.n > 0;
}

const char *ty_name_domain_path_problem(struct ty_str s, unsigned nth, struct ty_str *ret_value)
{
    struct ty_str host, path = ty_str_cut(s, '/', &host);

    if (host.n == 0 || path.n == 0) {
        *ret_value = s;
        return nth == 0 ? "must be a domain-prefixed path (such as \"acme.io/foo\")" : NULL;
    }
    const struct {
        bool wrong;
        struct ty_str value;
        const char *text;
    } problems[] = {
        { host.n > SUBDOMAIN_MAX, host, "must be no more than 253 characters" },
        { !subdomain_shaped(host), host, ty_name_dns1123_subdomain_msg },
        { !is_path(path), path,
          "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')" },
    };
    for (size_t i = 0; i < TY_COUNT(problems); i++) {
        if (!problems[i].wrong || nth-- > 0)
            continue;
        *ret_value = problems[i].value;
        return problems[i].text;
    }
    return NULL;
}
