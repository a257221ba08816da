/* Resolves scalars: tags, the words of YAML 1.1, numbers; everything else is a string. */
#include "base/base64.h"
#include "json/json_inner.h"
#include "json/yaml_inner.h"

enum word { NO_WORD, WORD_NULL, WORD_TRUE, WORD_FALSE, WORD_NOT_FINITE };

/* lower, Title and UPPER case are recognized; mixed case is not. */
static const struct {
    const char *lower, *title, *upper;
    enum word word;
} words[] = {
    { "", "~", "", WORD_NULL },
    { "null", "Null", "NULL", WORD_NULL },
    { "true", "True", "TRUE", WORD_TRUE },
    { "yes", "Yes", "YES", WORD_TRUE },
    { "on", "On", "ON", WORD_TRUE },
    { "y", "Y", "Y", WORD_TRUE },
    { "false", "False", "FALSE", WORD_FALSE },
    { "no", "No", "NO", WORD_FALSE },
    { "off", "Off", "OFF", WORD_FALSE },
    { "n", "N", "N", WORD_FALSE },
    { ".inf", ".Inf", ".INF", WORD_NOT_FINITE },
    { "+.inf", "+.Inf", "+.INF", WORD_NOT_FINITE },
    { "-.inf", "-.Inf", "-.INF", WORD_NOT_FINITE },
    { ".nan", ".NaN", ".NAN", WORD_NOT_FINITE },
};

static enum word word_of(struct ty_str s)
{
    if (s.n > 5 || (s.n > 0 && !memchr("~nNtTyYfFoO.+-", s.p[0], 14)))
        return NO_WORD; /* the common case */
    for (size_t i = 0; i < TY_COUNT(words); i++)
        if (ty_str_is(s, words[i].lower) || ty_str_is(s, words[i].title) ||
            ty_str_is(s, words[i].upper))
            return words[i].word;
    return NO_WORD;
}

static void set_string(struct ty_json *v, struct ty_str s)
{
    v->type = TY_JSON_STRING;
    v->s = s.n ? s.p : "";
    v->n = (uint32_t)s.n;
}

/* A plain scalar without a tag. False only for values that JSON cannot represent. */
static bool resolve_plain(struct ty_arena *a, struct ty_str s, struct ty_json *v)
{
    enum word word = word_of(s);
    switch (word) {
    case WORD_NULL:
        v->type = TY_JSON_NULL;
        return true;
    case WORD_TRUE:
    case WORD_FALSE:
        v->type = TY_JSON_BOOL;
        v->b = word == WORD_TRUE;
        return true;
    case WORD_NOT_FINITE:
        return false;
    case NO_WORD:
        break;
    }
    if (!ty_yaml_number_parse(a, s, v))
        set_string(v, s);
    return true;
}

static bool is_utf8(struct ty_str s)
{
    for (size_t i = 0, n = 0; i < s.n; i += n) {
        n = ty_json_utf8_len(s.p + i, s.p + s.n);
        if (n == 0)
            return false;
    }
    return true;
}

static bool read_binary(struct ty_arena *a, struct ty_str s, struct ty_json *v,
                        const char **ret_why)
{
    struct ty_str bytes = ty_base64_decode(a, s);
    if (!bytes.p) {
        *ret_why = "the !!binary value is not base64";
        return false;
    }
    if (!is_utf8(bytes)) {
        *ret_why = "the !!binary value is not UTF-8 text, which is all that JSON can hold";
        return false;
    }
    set_string(v, bytes);
    return true;
}

static bool type_fits(struct ty_str tag, const struct ty_json *v)
{
    switch ((enum ty_json_type)v->type) {
    case TY_JSON_NULL:
        return ty_str_is(tag, "null");
    case TY_JSON_BOOL:
        return ty_str_is(tag, "bool");
    case TY_JSON_INT:
    case TY_JSON_NUMBER:
        return ty_str_is(tag, "float") || ty_str_is(tag, "int");
    case TY_JSON_STRING:
    case TY_JSON_ARRAY:
    case TY_JSON_OBJECT:
        break;
    }
    return false;
}

/* "1.5" and "1.0" are floats even though the latter comes out as an INT. */
static bool is_float_text(struct ty_str s)
{
    bool hex = s.n > 1 && (s.p[1] == 'x' || s.p[1] == 'X' || (s.n > 2 && (s.p[2] | 0x20) == 'x'));
    for (size_t i = 0; i < s.n && !hex; i++)
        if (s.p[i] == '.' || s.p[i] == 'e' || s.p[i] == 'E')
            return true;
    return false;
}

const char *ty_yaml_scalar_tag(struct ty_arena *a, struct ty_str tag)
{
    const struct ty_str org = TY_LIT("tag:yaml.org,2002:");
    bool known = ty_str_starts(tag, org);
    if (known)
        tag = (struct ty_str){ tag.p + org.n, tag.n - org.n };
    return ty_arena_printf(a, "%s%.*s", known ? "!!" : "", (int)(tag.n > 80 ? 80 : tag.n), tag.p);
}

static bool read_tagged(struct ty_arena *a, const struct ty_yaml_scalar *in, struct ty_json *v,
                        const char **ret_why)
{
    const char *shown = ty_yaml_scalar_tag(a, in->tag);
    struct ty_str tag = ty_str(shown);
    struct ty_str name = { tag.p + 2, tag.n > 2 ? tag.n - 2 : 0 };
    if (ty_str_is(tag, "!") || ty_str_is(tag, "!!str") || ty_str_is(tag, "!!timestamp")) {
        set_string(v, in->text);
        return true;
    }
    if (ty_str_is(tag, "!!binary"))
        return read_binary(a, in->text, v, ret_why);
    if (!ty_str_is(tag, "!!int") && !ty_str_is(tag, "!!float") && !ty_str_is(tag, "!!bool") &&
        !ty_str_is(tag, "!!null")) {
        *ret_why = ty_arena_printf(a, "the tag %s means nothing here", shown);
        return false;
    }
    if (resolve_plain(a, in->text, v) && type_fits(name, v) &&
        !(ty_str_is(name, "int") && is_float_text(in->text)))
        return true;
    *ret_why = ty_arena_printf(a, "%s is not a value of %s", ty_yaml_text_show(a, in->text), shown);
    return false;
}

bool ty_yaml_scalar_parse(struct ty_arena *a, const struct ty_yaml_scalar *in, struct ty_json *v,
                          const char **ret_why)
{
    if (in->tag.n > 0)
        return read_tagged(a, in, v, ret_why);
    if (!in->plain) {
        set_string(v, in->text);
        return true;
    }
    if (resolve_plain(a, in->text, v))
        return true;
    *ret_why =
        ty_arena_printf(a, "JSON has no number %.*s; put a string in quotes", TY_ARG(in->text));
    return false;
}

bool ty_yaml_scalar_is_word(struct ty_str s)
{
    return word_of(s) != NO_WORD || ty_str_is(s, "<<") || ty_str_is(s, "=") ||
           ty_yaml_number_like(s);
}

bool ty_yaml_scalar_key(struct ty_arena *a, const struct ty_json *v, struct ty_str *ret_key)
{
    switch ((enum ty_json_type)v->type) {
    case TY_JSON_STRING:
        *ret_key = (struct ty_str){ v->s, v->n };
        return true;
    case TY_JSON_BOOL:
        *ret_key = v->b ? TY_LIT("true") : TY_LIT("false");
        return true;
    case TY_JSON_INT:
        *ret_key = ty_str(ty_arena_printf(a, "%lld", (long long)v->i));
        return true;
    case TY_JSON_NUMBER:
        *ret_key = ty_yaml_number_key(a, v);
        return true;
    case TY_JSON_NULL:
    case TY_JSON_ARRAY:
    case TY_JSON_OBJECT:
        break;
    }
    return false;
}
