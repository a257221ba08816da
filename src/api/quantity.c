/* Quantities: "500m", "1.5Gi", "12e6". Everything that counts resources (plan, gang size, process
 * counts) or prints them uses this file. The text must be exactly that of k8s.io/apimachinery: an
 * object whose text differs would be applied again at every reconcile. */
#include "api/quantity.h"

__extension__ typedef unsigned __int128 u128;

#define NANO     ((u128)1000000000)
#define CAP      (NANO * NANO * NANO * NANO * 100) /* 10^38 nano: the limit of our range */
#define MAX_UNIT ((u128)INT64_MAX)                 /* Kubernetes' cap on binary quantities */

/* The parts of the text. Any of them may be empty: Kubernetes reads "+", "." and "k" as 0. */
struct parts {
    bool negative, any_digit;
    struct ty_str whole; /* without leading zeros */
    struct ty_str frac;
    struct ty_str suffix;
};

struct unit {
    enum ty_quantity_format format;
    int32_t exp; /* of 2 for TY_Q_BINARY, else of 10 */
};

static const struct {
    char text[3];
    struct unit unit;
} suffixes[] = {
    { "n", { TY_Q_DECIMAL, -9 } }, { "u", { TY_Q_DECIMAL, -6 } }, { "m", { TY_Q_DECIMAL, -3 } },
    { "", { TY_Q_DECIMAL, 0 } },   { "k", { TY_Q_DECIMAL, 3 } },  { "M", { TY_Q_DECIMAL, 6 } },
    { "G", { TY_Q_DECIMAL, 9 } },  { "T", { TY_Q_DECIMAL, 12 } }, { "P", { TY_Q_DECIMAL, 15 } },
    { "E", { TY_Q_DECIMAL, 18 } }, { "Ki", { TY_Q_BINARY, 10 } }, { "Mi", { TY_Q_BINARY, 20 } },
    { "Gi", { TY_Q_BINARY, 30 } }, { "Ti", { TY_Q_BINARY, 40 } }, { "Pi", { TY_Q_BINARY, 50 } },
    { "Ei", { TY_Q_BINARY, 60 } },
};
#define N_SUFFIXES TY_COUNT(suffixes)

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits at s[*i]; advances *i. */
static struct ty_str take_digits(struct ty_str s, size_t *i)
{
    size_t from = *i;
    while (*i < s.n && is_digit(s.p[*i]))
        (*i)++;
    return (struct ty_str){ s.p + from, *i - from };
}

static bool split_parts(struct ty_str s, struct parts *p)
{
    size_t i = 0;

    *p = (struct parts){ 0 };
    if (s.n == 0)
        return false;
    if (s.p[0] == '-' || s.p[0] == '+') {
        p->negative = s.p[0] == '-';
        i++;
    }
    p->whole = take_digits(s, &i);
    p->any_digit = p->whole.n > 0;
    while (p->whole.n > 0 && p->whole.p[0] == '0')
        p->whole = (struct ty_str){ p->whole.p + 1, p->whole.n - 1 };
    if (i < s.n && s.p[i] == '.') {
        i++;
        p->frac = take_digits(s, &i);
        p->any_digit |= p->frac.n > 0;
    }
    p->suffix = (struct ty_str){ s.p + i, s.n - i };
    return true;
}

static bool read_suffix(struct ty_str s, struct unit *ret_unit)
{
    int64_t exp;

    for (size_t i = 0; i < N_SUFFIXES; i++) {
        if (ty_str_is(s, suffixes[i].text)) {
            *ret_unit = suffixes[i].unit;
            return true;
        }
    }
    if (s.n < 2 || (s.p[0] != 'e' && s.p[0] != 'E'))
        return false;
    struct ty_str digits = { s.p + 1, s.n - 1 };
    if (digits.p[0] == '+') {
        digits = (struct ty_str){ digits.p + 1, digits.n - 1 };
        if (digits.n == 0 || !is_digit(digits.p[0]))
            return false;
    }
    if (!ty_str_parse_i64(digits, &exp))
        return false;
    *ret_unit =
        (struct unit){ TY_Q_EXPONENT, (int32_t)(uint32_t)(uint64_t)exp }; /* wraps, as Go's */
    return true;
}

/* acc * 10 + d, or CAP. */
static u128 shift_in(u128 acc, unsigned d)
{
    return acc > (CAP - d) / 10 ? CAP : acc * 10 + d;
}

static unsigned digit_at(const struct parts *p, size_t i)
{
    char c = i < p->whole.n ? p->whole.p[i] : p->frac.p[i - p->whole.n];
    return (unsigned)(c - '0');
}

/* The digits times 10^exp, in nano. Digits below nano round up if one of them is not zero. */
static u128 decimal_nano(const struct parts *p, int32_t exp)
{
    int64_t places = (int64_t)p->whole.n + exp + 9, i = 0;
    int64_t digits = (int64_t)(p->whole.n + p->frac.n);
    bool more = false;
    u128 acc = 0;

    for (; i < digits; i++) {
        unsigned d = digit_at(p, (size_t)i);
        if (i < places)
            acc = shift_in(acc, d);
        else
            more |= d != 0;
    }
    for (; i < places && acc > 0 && acc < CAP; i++)
        acc = shift_in(acc, 0);
    return acc + more > CAP ? CAP : acc + more;
}

/* The digits times 2^exp, in nano, rounded up; at most MAX_UNIT units. */
static u128 binary_nano(const struct parts *p, int32_t exp)
{
    u128 units = 0, fraction = 0, scale = NANO << exp; /* below 10^28 */
    bool more = false;

    for (size_t i = 0; i < p->whole.n && units <= MAX_UNIT; i++)
        units = units * 10 + digit_at(p, i);
    if (units > MAX_UNIT >> exp)
        return MAX_UNIT * NANO;
    /* From the last digit to the first, f = (d + f) / 10 with f counted in 1/scale. Rounding down
     * at each step gives the same result as rounding once at the end; only whether it was exact is
     * recorded. */
    for (size_t i = p->frac.n; i > 0; i--) {
        u128 sum = (u128)(p->frac.p[i - 1] - '0') * scale + fraction;
        more |= sum % 10 != 0;
        fraction = sum / 10;
    }
    u128 nano = units * scale + fraction + more;
    return nano > MAX_UNIT * NANO ? MAX_UNIT * NANO : nano;
}

/* Kubernetes has a fast path for short numbers with visible differences: it accepts numbers without
 * any digit as 0, and it may keep the text. */
static bool parse_fast(const struct parts *p, struct unit unit)
{
    size_t digits = (p->whole.n ? p->whole.n : 1) + p->frac.n;

    if (unit.format == TY_Q_BINARY)
        return p->frac.n == 0 && digits + (size_t)unit.exp * 3 / 10 + 1 <= 15;
    return digits <= 18 && unit.exp - (int64_t)p->frac.n >= -9;
}

/* Whether the fast path considers the text canonical. That is a guess: "1.500" passes. */
static bool looks_canonical(const struct parts *p, struct unit unit)
{
    size_t digits = p->whole.n + p->frac.n;
    unsigned low = 0;

    if (unit.format == TY_Q_BINARY) {
        for (size_t i = 0; i < digits; i++)
            low = (low * 10 + digit_at(p, i)) % 8;
        return low != 0;
    }
    if (p->whole.n == 0 || (unit.exp - (int64_t)p->frac.n) % 3 != 0)
        return false;
    return digits < 3 || digit_at(p, digits - 1) != 0 || digit_at(p, digits - 2) != 0 ||
           digit_at(p, digits - 3) != 0;
}

bool ty_quantity_parse(struct ty_str text, struct ty_quantity *ret_q)
{
    struct parts p;
    struct unit unit;

    if (!split_parts(text, &p) || !read_suffix(p.suffix, &unit))
        return false;
    bool fast = parse_fast(&p, unit);
    if (!fast && !p.any_digit)
        return false;
    u128 nano = unit.format == TY_Q_BINARY ? binary_nano(&p, unit.exp) : decimal_nano(&p, unit.exp);
    *ret_q = (struct ty_quantity){
        .nano = p.negative ? -(ty_i128)nano : (ty_i128)nano,
        .format = unit.format,
        .kept = fast && looks_canonical(&p, unit) ? text : (struct ty_str){ 0 },
    };
    if (unit.format == TY_Q_BINARY && nano > 0 && nano < NANO)
        ret_q->format = TY_Q_DECIMAL; /* binary suffixes cannot express less than one */
    return true;
}

bool ty_quantity_of(const struct ty_json *v, struct ty_quantity *ret_q)
{
    if (ty_json_is(v, TY_JSON_INT)) {
        *ret_q = (struct ty_quantity){ .nano = (ty_i128)v->i * (ty_i128)NANO };
        return true;
    }
    if (!ty_json_is(v, TY_JSON_STRING) && !ty_json_is(v, TY_JSON_NUMBER))
        return false;
    return ty_quantity_parse(ty_str_trim((struct ty_str){ v->s, v->n }), ret_q);
}

static u128 magnitude(ty_i128 v)
{
    return v < 0 ? -(u128)v : (u128)v;
}

/* Mantissa and power of ten, a multiple of three, that need no fraction. SI suffixes end at E:
 * larger numbers keep their zeros. (Kubernetes drops the zeros, too, and prints 1000E as 1.) */
static const char *decimal_suffix(struct ty_arena *a, u128 *m, enum ty_quantity_format format)
{
    int exp = -9;

    while (*m % 1000 == 0 && (exp < 18 || format == TY_Q_EXPONENT)) {
        *m /= 1000;
        exp += 3;
    }
    if (format != TY_Q_EXPONENT)
        return suffixes[(exp + 9) / 3].text;
    return exp ? ty_arena_printf(a, "e%d", exp) : "";
}

static const char *binary_suffix(u128 *m)
{
    size_t at = 9; /* one before Ki */

    *m /= NANO;
    while (*m % 1024 == 0 && at + 1 < N_SUFFIXES) {
        *m /= 1024;
        at++;
    }
    return at == 9 ? "" : suffixes[at].text;
}

struct ty_str ty_quantity_text(struct ty_arena *a, struct ty_quantity q)
{
    char digits[40];
    size_t at = sizeof(digits);
    u128 m = magnitude(q.nano);
    const char *suffix;

    if (q.kept.n > 0)
        return ty_arena_str(a, q.kept);
    if (m == 0)
        return TY_LIT("0");
    if (q.format == TY_Q_BINARY && m >= 1024 * NANO && m % NANO == 0)
        suffix = binary_suffix(&m);
    else
        suffix = decimal_suffix(a, &m, q.format);
    for (; m > 0; m /= 10)
        digits[--at] = (char)('0' + (int)(m % 10));
    return ty_str(ty_arena_printf(a, "%s%.*s%s", q.nano < 0 ? "-" : "", (int)(sizeof(digits) - at),
                                  digits + at, suffix));
}

struct ty_json *ty_quantity_json(struct ty_arena *a, struct ty_quantity q)
{
    return ty_json_str(a, ty_quantity_text(a, q));
}

int64_t ty_quantity_value(struct ty_quantity q)
{
    u128 units = (magnitude(q.nano) + NANO - 1) / NANO;

    if (units > MAX_UNIT)
        return q.nano < 0 ? INT64_MIN : INT64_MAX;
    return q.nano < 0 ? -(int64_t)units : (int64_t)units;
}

int ty_quantity_cmp(struct ty_quantity a, struct ty_quantity b)
{
    return (a.nano > b.nano) - (a.nano < b.nano);
}

static ty_i128 clamp(u128 m, bool negative)
{
    if (m > CAP)
        m = CAP;
    return negative ? -(ty_i128)m : (ty_i128)m;
}

struct ty_quantity ty_quantity_add(struct ty_quantity a, struct ty_quantity b)
{
    enum ty_quantity_format format = a.nano == 0 ? b.format : a.format;
    ty_i128 sum;

    if ((a.nano < 0) ==
        (b.nano < 0)) /* both magnitudes are at most CAP: no overflow when unsigned */
        sum = clamp(magnitude(a.nano) + magnitude(b.nano), a.nano < 0);
    else
        sum = a.nano + b.nano;
    return (struct ty_quantity){ .nano = sum, .format = format };
}

struct ty_quantity ty_quantity_mul(struct ty_quantity q, int64_t by)
{
    u128 m = magnitude(q.nano), n = magnitude(by);
    u128 product = n > 0 && m > CAP / n ? CAP : m * n;

    return (struct ty_quantity){ .nano = clamp(product, (q.nano < 0) != (by < 0)),
                                 .format = q.format };
}

static int by_key(const void *x, const void *y)
{
    const struct ty_json_member *a = x, *b = y;
    return ty_str_cmp(a->key, b->key);
}

static void sort_members(struct ty_json *obj)
{
    if (ty_json_len(obj) > 1)
        qsort(obj->members, obj->n, sizeof(obj->members[0]), by_key);
}

/* Finds a member of an object that is sorted by key. */
static const struct ty_json *find_sorted(const struct ty_json *obj, struct ty_str key)
{
    const struct ty_json_member wanted = { .key = key };
    const struct ty_json_member *m =
        obj->n ? bsearch(&wanted, obj->members, obj->n, sizeof(*m), by_key) : NULL;

    return m ? m->value : NULL;
}

/* Combines an existing and a new amount: *more becomes the amount to write; false: no change. */
typedef bool join_fn(const struct ty_quantity *have, struct ty_quantity *more);

static void join_resources(struct ty_arena *a, struct ty_json *into, const struct ty_json *from,
                           int64_t times, join_fn *fn)
{
    struct ty_json *now = ty_json_object(a);
    struct ty_quantity q, have;

    sort_members(into);
    now->members = ty_new_n(a, struct ty_json_member, ty_json_len(from));
    now->cap = (uint32_t)ty_json_len(from);
    ty_each_member (m, from) {
        if (!ty_quantity_of(m->value, &q))
            continue;
        if (times != 1)
            q = ty_quantity_mul(q, times);
        bool known = ty_quantity_of(find_sorted(into, m->key), &have);
        if (!known || fn(&have, &q))
            now->members[now->n++] = (struct ty_json_member){ m->key, ty_quantity_json(a, q) };
    }
    ty_json_put_all(a, into, now, 0);
    sort_members(into);
}

static bool add_to(const struct ty_quantity *have, struct ty_quantity *more)
{
    *more = ty_quantity_add(*have, *more);
    return true;
}

static bool is_larger(const struct ty_quantity *have, struct ty_quantity *more)
{
    return ty_quantity_cmp(*have, *more) < 0;
}

void ty_quantity_resources_add(struct ty_arena *a, struct ty_json *into, const struct ty_json *from,
                               int64_t times)
{
    join_resources(a, into, from, times, add_to);
}

void ty_quantity_resources_max(struct ty_arena *a, struct ty_json *into, const struct ty_json *from)
{
    join_resources(a, into, from, 1, is_larger);
}
