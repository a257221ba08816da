/* Formats a line in one buffer and writes it at once. Repeated errors are recognized by a hash of
 * their content. */
#include "log/log.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/xalloc.h"
#include "json/json.h"
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define REPEATS    64  /* different errors in memory */
#define SEEN       8   /* different texts of ty_log_seen in memory */
#define SEEN_BYTES 160 /* of them that are compared: their ends name objects */
#define LINE_MAX_B ((size_t)64 << 10)
#define NS         ((int64_t)1000000000)

const struct ty_log_settings ty_log_default = { .level = TY_INFO, .fd = 2 };

struct repeat {
    uint64_t hash; /* 0: free */
    int64_t since_ns;
    uint64_t said, silent;
    struct ty_buf
        what; /* the line without its time, for the count at the end; set once suppressed */
};

struct ty_log_out {
    struct ty_log_settings s;
    struct ty_buf line;
    struct repeat repeats[REPEATS];
    struct repeat seen[SEEN]; /* apart: a hundred jobs that fail at once must not displace them */
    uint64_t lost;            /* lines that could not be written */
    bool torn;                /* the last one was written in part */
};

/* ---- parts of a line ---- */

static void put_json(struct ty_buf *b, struct ty_str s)
{
    size_t n = s.n < LINE_MAX_B ? s.n : LINE_MAX_B;
    ty_json_print(b, &(struct ty_json){ .type = TY_JSON_STRING, .n = (uint32_t)n, .s = s.p });
}

static void date_text(int64_t unix_s, char (*ret)[64])
{
    time_t s = (time_t)unix_s;
    struct tm tm = { 0 };

    if (!gmtime_r(&s, &tm) || strftime(*ret, sizeof(*ret), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
        snprintf(*ret, sizeof(*ret), "%lld", (long long)unix_s); /* a year beyond an int */
}

static void put_time(struct ty_buf *b, enum ty_log_time how, int64_t ns)
{
    long rest = (long)(ns % NS);
    char text[64];

    date_text(ns / NS, &text);
    switch (how) {
    case TY_LOG_RFC3339NANO: {
        char part[16];
        int n = snprintf(part, sizeof(part), ".%09ld", rest);
        while (part[n - 1] == '0') /* as Go writes it: no zeros at the end */
            n--;
        ty_buf_printf(b, "\"%s%.*sZ\"", text, n > 1 ? n : 0, part);
        return;
    }
    case TY_LOG_RFC3339:
        ty_buf_printf(b, "\"%sZ\"", text);
        return;
    case TY_LOG_ISO8601:
        ty_buf_printf(b, "\"%s.%03ldZ\"", text, rest / 1000000);
        return;
    case TY_LOG_EPOCH:
        ty_buf_printf(b, "%lld.%09ld", (long long)(ns / NS), rest);
        return;
    case TY_LOG_MILLIS:
        ty_buf_printf(b, "%lld.%06ld", (long long)(ns / 1000000), rest % 1000000);
        return;
    case TY_LOG_NANOS:
        ty_buf_printf(b, "%lld", (long long)ns);
        return;
    }
}

static void put_level(struct ty_buf *b, int level)
{
    static const char *const names[] = { "debug", "info", "warn", "error" };
    if (level >= TY_DEBUG && level <= TY_ERROR)
        ty_buf_cstr(b, names[level - TY_DEBUG]);
    else
        ty_buf_printf(b, "Level(%d)", level);
}

/* "../src/leader/lease_client.c:12" is "leader/lease_client.c:12" */
static const char *short_caller(const char *caller)
{
    const char *src = strstr(caller, "src/");
    return src ? src + 4 : caller;
}

static void put_date(struct ty_buf *b, int64_t unix_s)
{
    char text[64];

    date_text(unix_s, &text);
    ty_buf_printf(b, "\"%sZ\"", text);
}

static void put_field(struct ty_buf *b, const struct ty_log_field *f)
{
    put_json(b, ty_str(f->key));
    ty_buf_chr(b, ':');
    if (f->type == 'i')
        ty_buf_printf(b, "%lld", (long long)f->i);
    else if (f->type == 'b')
        ty_buf_cstr(b, f->i ? "true" : "false");
    else if (f->type == 't')
        put_date(b, f->i);
    else if (f->type == 'j')
        ty_buf_add(b, f->s.n ? f->s : TY_LIT("null"));
    else
        put_json(b, f->s);
}

struct line {
    int level;
    const char *logger, *caller, *msg;
    const struct ty_log_field *fields;
    size_t n;
};

/* The content of the line without its time, by which a repetition is recognized. */
static void put_message(struct ty_buf *b, const struct line *l)
{
    if (l->logger) {
        ty_buf_cstr(b, ",\"logger\":");
        put_json(b, ty_str(l->logger));
    }
    ty_buf_cstr(b, ",\"caller\":");
    put_json(b, ty_str(l->caller));
    ty_buf_cstr(b, ",\"msg\":");
    put_json(b, ty_str(l->msg));
    for (size_t i = 0; i < l->n; i++) {
        ty_buf_chr(b, ',');
        put_field(b, &l->fields[i]);
    }
}

static void put_console(struct ty_buf *b, const struct line *l)
{
    ty_buf_chr(b, '\t');
    if (l->logger)
        ty_buf_printf(b, "%s\t", l->logger);
    ty_buf_printf(b, "%s\t", l->caller);
    for (const char *p = l->msg; *p; p++)
        ty_buf_chr(b, *p == '\n' ? ' ' : *p);
    for (size_t i = 0; i < l->n; i++) {
        ty_buf_cstr(b, i ? ", " : "\t{");
        put_field(b, &l->fields[i]);
    }
    if (l->n)
        ty_buf_chr(b, '}');
}

/* ---- write ---- */

static void write_line(struct ty_log_out *o)
{
    ty_buf_chr(&o->line, '\n');
    if (o->line.full) { /* too long: cut, and end the line */
        o->line.full = false;
        o->line.n = o->line.n > LINE_MAX_B - 1 ? LINE_MAX_B - 1 : o->line.n;
        o->line.p[o->line.n++] = '\n';
    }
    const char *p = o->line.p;
    for (size_t n = o->line.n; n;) {
        ssize_t did = write(o->s.fd, p, n);
        if (did < 0 && errno == EINTR)
            continue;
        if (did < 0) { /* no reader, or the pipe is full: never block for a log */
            o->lost++;
            o->torn |= p != o->line.p;
            return;
        }
        p += did;
        n -= (size_t)did;
    }
    o->torn = false;
}

static void begin_line(struct ty_log_out *o, int level, int64_t now_ns)
{
    o->line.n = 0;
    o->line.full = false;
    if (o->torn)
        ty_buf_chr(&o->line, '\n');
    if (!o->s.console) {
        ty_buf_cstr(&o->line, "{\"level\":\"");
        put_level(&o->line, level);
        ty_buf_cstr(&o->line, "\",\"ts\":");
        put_time(&o->line, o->s.time, now_ns);
        return;
    }
    size_t at = o->line.n;
    put_time(&o->line, o->s.time, now_ns);
    if (o->line.p[at] == '"') { /* without quotes, for people */
        memmove(o->line.p + at, o->line.p + at + 1, o->line.n - at - 2);
        o->line.n -= 2;
    }
    ty_buf_chr(&o->line, '\t');
    at = o->line.n;
    put_level(&o->line, level);
    for (; at < o->line.n; at++)
        if (o->line.p[at] >= 'a' && o->line.p[at] <= 'z')
            o->line.p[at] = (char)(o->line.p[at] - 32);
}

static void emit(struct ty_log_out *o, int level, int64_t now_ns, struct ty_str what,
                 uint64_t silent)
{
    begin_line(o, level, now_ns);
    ty_buf_add(&o->line, what);
    if (silent && o->s.console)
        ty_buf_printf(&o->line, "\t(and %llu times more before)", (unsigned long long)silent);
    else if (silent)
        ty_buf_printf(&o->line, ",\"suppressed\":%llu", (unsigned long long)silent);
    if (o->lost && !o->s.console)
        ty_buf_printf(&o->line, ",\"lostLines\":%llu", (unsigned long long)o->lost);
    if (!o->s.console)
        ty_buf_chr(&o->line, '}');
    uint64_t lost = o->lost;
    write_line(o);
    if (o->lost == lost)
        o->lost = 0;
}

/* ---- repeated errors ---- */

static void emit_suppressed(struct ty_log_out *o, struct repeat *r, int64_t now_ns)
{
    if (r->silent)
        emit(o, TY_ERROR, now_ns, ty_buf_str(&r->what), r->silent);
    r->silent = 0;
}

/* The entry of this text in a table of n; a new one replaces the oldest. */
static struct repeat *find_repeat(struct ty_log_out *o, struct repeat *table, size_t n,
                                  struct ty_str what, int64_t now_ns)
{
    uint64_t hash = ty_hash_bytes(0, what.p, what.n) | 1; /* never 0 */
    struct repeat *oldest = &table[0];
    for (size_t i = 0; i < n; i++) {
        struct repeat *r = &table[i];
        if (r->hash == hash)
            return r;
        if (r->since_ns < oldest->since_ns)
            oldest = r;
    }
    emit_suppressed(o, oldest, now_ns);
    ty_buf_done(&oldest->what);
    *oldest = (struct repeat){ .hash = hash, .since_ns = now_ns };
    return oldest;
}

/* A clock that was set back starts a new window, too. */
static bool is_over(const struct repeat *r, int64_t now_ns, int64_t window_s)
{
    return now_ns < r->since_ns || now_ns - r->since_ns >= window_s * NS;
}

/* Whether to log it. *ret_silent: how often it was suppressed before. */
static bool should_log(struct ty_log_out *o, struct ty_str what, int64_t now_ns,
                       uint64_t *ret_silent)
{
    struct repeat *r = find_repeat(o, o->repeats, REPEATS, what, now_ns);
    if (is_over(r, now_ns, TY_LOG_WINDOW_S)) {
        *ret_silent = r->silent;
        r->silent = 0;
        r->said = 1;
        r->since_ns = now_ns;
        return true;
    }
    if (r->said < TY_LOG_BURST) {
        r->said++;
        return true;
    }
    if (!r->what.n)
        ty_buf_add(&r->what, what);
    r->silent++;
    return false;
}

/* ---- public functions ---- */

struct ty_log_out *ty_log_open(const struct ty_log_settings *s)
{
    struct ty_log_out *o = ty_xalloc(calloc(1, sizeof(*o)));
    o->s = *s;
    o->line.ceiling = LINE_MAX_B;
    return o;
}

static int64_t now_of(const struct ty_log_out *o)
{
    if (o->s.now_ns)
        return o->s.now_ns(o->s.ctx);
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * NS + t.tv_nsec;
}

void ty_log_flush_suppressed(struct ty_log_out *o)
{
    for (size_t i = 0; o && i < REPEATS; i++)
        emit_suppressed(o, &o->repeats[i], now_of(o));
}

void ty_log_close(struct ty_log_out *o)
{
    if (!o)
        return;
    ty_log_flush_suppressed(o);
    for (size_t i = 0; i < REPEATS; i++)
        ty_buf_done(&o->repeats[i].what);
    ty_buf_done(&o->line);
    free(o);
}

bool ty_log_enabled(const struct ty_log *l, int level)
{
    return l && l->out && level >= l->out->s.level;
}

bool ty_log_seen(const struct ty_log *l, struct ty_str text)
{
    if (!l || !l->out)
        return false;
    int64_t now = now_of(l->out);
    struct repeat *r = find_repeat(l->out, l->out->seen, SEEN, ty_str_head(text, SEEN_BYTES), now);
    bool seen = r->said && !is_over(r, now, TY_LOG_SEEN_S);
    if (!seen)
        r->since_ns = now;
    r->said = 1;
    return seen;
}

void ty_log_write(const struct ty_log *l, int level, const char *caller, const char *msg,
                  const struct ty_log_field *fields, size_t n)
{
    if (!ty_log_enabled(l, level))
        return;
    struct ty_log_out *o = l->out;
    int64_t now = now_of(o);
    uint64_t silent = 0;
    ty_auto_buf what = { .ceiling = LINE_MAX_B - 256 };
    struct line line = { level, l->logger, short_caller(caller), msg, fields, n };
    if (o->s.console)
        put_console(&what, &line);
    else
        put_message(&what, &line);
    if (what.full && !o->s.console) { /* still a JSON line, only without its long fields */
        what.n = 0;
        what.full = false;
        line.fields = &TY_B("tooLong", true);
        line.n = 1;
        put_message(&what, &line);
    }
    if (level < TY_ERROR || should_log(o, ty_buf_str(&what), now, &silent))
        emit(o, level, now, ty_buf_str(&what), silent);
}
