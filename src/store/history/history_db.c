/* Opens the database, creates its schema, and has the statements for writing. history_read.c has
 * the queries. */
#include "store/history/history_db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "proc/regular_file.h"

/* Pages (4 KiB) of the write-ahead log. The first process that opens the file reads the whole log,
 * and the one that checkpoints it waits for the disk: the log that is left at exit is short, during
 * a run it may be longer. */
#define LOG_LEFT  128
#define LOG_GROWN 1000

struct ty_history_db {
    sqlite3 *db;
    char *path;
    int log; /* pages in the write-ahead log after the last commit */
    sqlite3_stmt *sql[TY_SQL_N];
};

#define TEXT(x)  #x
#define VALUE(x) TEXT(x)

static const char layout[] =
    "CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY AUTOINCREMENT, pid INTEGER NOT NULL,"
    " dir TEXT NOT NULL, command TEXT NOT NULL, started INTEGER NOT NULL,"
    " ended INTEGER NOT NULL DEFAULT 0, how TEXT NOT NULL DEFAULT '');"
    "CREATE TABLE IF NOT EXISTS objects (run INTEGER NOT NULL, uid TEXT NOT NULL,"
    " kind TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL, job TEXT NOT NULL,"
    " version INTEGER NOT NULL, gone INTEGER NOT NULL, text TEXT NOT NULL,"
    " PRIMARY KEY (run, uid)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS objects_kind ON objects (kind, job, run);"
    "CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, run INTEGER NOT NULL,"
    " hash INTEGER NOT NULL, job TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,"
    " type TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL, count INTEGER NOT NULL,"
    " first INTEGER NOT NULL, last INTEGER NOT NULL, UNIQUE (run, hash));"
    "PRAGMA user_version = " VALUE(TY_HISTORY_DB_VERSION) ";";

static const char *const texts[TY_SQL_N] = {
    [TY_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [TY_SQL_COMMIT] = "COMMIT",
    [TY_SQL_ROLLBACK] = "ROLLBACK",
    [TY_SQL_RUN_ADD] = "INSERT INTO runs (pid, dir, command, started) VALUES (?1, ?2, ?3, ?4)",
    [TY_SQL_RUN_END] = "UPDATE runs SET ended = ?2, how = ?3 WHERE id = ?1",
    [TY_SQL_OBJECT_PUT] =
        "INSERT INTO objects (run, uid, kind, ns, name, job, version, gone, text)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (run, uid)"
        " DO UPDATE SET version = excluded.version, gone = excluded.gone, text = excluded.text",
    [TY_SQL_EVENT_PUT] =
        "INSERT INTO events (run, hash, job, kind, name, type, reason, message, count, first, last)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT (run, hash)"
        " DO UPDATE SET count = count + excluded.count, last = excluded.last",
};

sqlite3 *ty_history_db_handle(struct ty_history_db *d)
{
    return d->db;
}

int ty_history_db_fail(struct ty_history_db *d, struct ty_err *err)
{
    int code = d->db ? sqlite3_errcode(d->db) & 0xff : SQLITE_NOMEM;

    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return ty_fail(err, -EAGAIN, "%s: another process is writing", d->path);
    return ty_fail(err, code == SQLITE_FULL ? -ENOSPC : -EIO, "%s: %s", d->path,
                   d->db ? sqlite3_errmsg(d->db) : "out of memory");
}

/* WAL needs shared memory, which does not work across machines; FUSE may be a network file system,
 * too. */
static bool on_a_network(const char *path)
{
    static const unsigned known[] = { 0x6969,     0x517b,     0xff534d42, 0xfe534d42,
                                      0x00c36400, 0x0bd00bd0, 0x47504653, 0x65735546,
                                      0x5346414f, 0x01021997, 0x19830326, 0x013111a8 };
    struct statfs fs;

    if (statfs(path, &fs) < 0)
        return false;
    for (size_t i = 0; i < TY_COUNT(known); i++)
        if ((unsigned)fs.f_type == known[i])
            return true;
    return false;
}

static int run_sql(struct ty_history_db *d, const char *sql, struct ty_err *err)
{
    return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : ty_history_db_fail(d, err);
}

static int user_version(struct ty_history_db *d, int *ret, struct ty_err *err)
{
    sqlite3_stmt *s = NULL;
    int r = 0;

    if (sqlite3_prepare_v2(d->db, "PRAGMA user_version", -1, &s, NULL) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_ROW)
        r = ty_history_db_fail(d, err);
    else
        *ret = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    if (r == 0 && *ret > TY_HISTORY_DB_VERSION)
        r = ty_fail(err, -EPROTO,
                    "%s was made by a newer trainyard (layout %d, this one knows %d): use that one",
                    d->path, *ret, TY_HISTORY_DB_VERSION);
    return r;
}

/* If several processes start at once, one creates the tables, and the others find them. */
static int make_layout(struct ty_history_db *d, struct ty_err *err)
{
    int version = 0;
    int r = run_sql(
        d, on_a_network(d->path) ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL",
        err);

    if (r == 0)
        r = run_sql(d, "BEGIN IMMEDIATE", err);
    if (r < 0)
        return r;
    r = user_version(d, &version, err);
    if (r == 0 && version < TY_HISTORY_DB_VERSION)
        r = run_sql(d, layout, err);
    if (r == 0)
        return run_sql(d, "COMMIT", err);
    run_sql(d, "ROLLBACK", NULL);
    return r;
}

static int prepare_file(struct ty_history_db *d, struct ty_err *err)
{
    int version = 0;
    int r = user_version(d, &version, err);

    if (r == 0 && version < TY_HISTORY_DB_VERSION)
        r = make_layout(d, err);
    if (r ==
        0) /* a power failure may lose the last seconds of history, but never corrupts the file */
        r = run_sql(
            d, on_a_network(d->path) ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
            err);
    return r;
}

/* A "file:…" URI for SQLite, with special bytes escaped. */
static int open_uri(struct ty_history_db *d, int flags, const char *more)
{
    ty_auto_buf uri = { 0 };

    ty_buf_cstr(&uri, "file:");
    for (const char *p = d->path; *p; p++)
        if (strchr("%?#", *p))
            ty_buf_printf(&uri, "%%%02x", (unsigned)(unsigned char)*p);
        else
            ty_buf_chr(&uri, *p);
    ty_buf_cstr(&uri, more);
    ty_buf_chr(&uri, 0);
    return sqlite3_open_v2(uri.p, &d->db, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
}

static int on_commit(void *ctx, sqlite3 *db, const char *name, int pages)
{
    struct ty_history_db *d = ctx;

    d->log = pages;
    if (pages >= LOG_GROWN)
        sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    return SQLITE_OK;
}

static int open_db(struct ty_history_db *d, enum ty_history_db_mode use, const char *more,
                   struct ty_err *err)
{
    int flags = use == TY_HISTORY_DB_READ ? SQLITE_OPEN_READONLY
                                          : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

    if (open_uri(d, flags, more) != SQLITE_OK)
        return ty_history_db_fail(d, err);
    sqlite3_busy_timeout(d->db, 1000);
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_wal_hook(d->db, on_commit, d);
    return run_sql(d, "PRAGMA cache_size = -512; PRAGMA trusted_schema = OFF", err);
}

static void close_db(struct ty_history_db *d)
{
    for (size_t i = 0; i < TY_SQL_N; i++) {
        sqlite3_finalize(d->sql[i]);
        d->sql[i] = NULL;
    }
    sqlite3_close_v2(d->db);
    d->db = NULL;
}

/* A reader in a directory without write permission needs the files of the log; if there are none,
 * the database file is complete. */
static int open_reader(struct ty_history_db *d, struct ty_err *err)
{
    int version = 0;
    int r = open_db(d, TY_HISTORY_DB_READ, "", err);

    if (r == 0)
        r = user_version(d, &version, err);
    if (r < 0 && (sqlite3_errcode(d->db) & 0xff) == SQLITE_CANTOPEN) {
        close_db(d);
        r = open_db(d, TY_HISTORY_DB_READ, "?immutable=1", err);
        if (r == 0)
            r = user_version(d, &version, err);
    }
    return r == 0 && version == 0 ? ty_fail(err, -ENOENT, "%s is empty", d->path) : r;
}

/* SQLite would wait for ever on a FIFO in place of one of its files. */
static int check_types(const char *path, struct ty_err *err)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal" };
    struct stat st;

    for (size_t i = 0; i < TY_COUNT(ends); i++) {
        ty_auto_buf file = { 0 };
        ty_buf_printf(&file, "%s%s", path, ends[i]);
        ty_buf_chr(&file, 0);
        if (lstat(file.p, &st) == 0 && !S_ISREG(st.st_mode)) /* a job may have put it there */
            return ty_fail(err, -EBADF, "%s: %s", file.p, ty_regular_file_error(-EBADF));
    }
    return 0;
}

/* Created with mode 0600: objects contain environment variables. */
static int make_file(const char *path, struct ty_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0)
        return ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
    close(fd);
    return 0;
}

int ty_history_db_open(const char *path, enum ty_history_db_mode use, struct ty_history_db **ret,
                       struct ty_err *err)
{
    struct ty_history_db *d = NULL;
    int r = check_types(path, err);

    if (r == 0 && use == TY_HISTORY_DB_WRITE)
        r = make_file(path, err);
    if (r < 0)
        return r;
    if (use == TY_HISTORY_DB_READ && access(path, R_OK) < 0)
        return ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
    d = ty_xalloc(calloc(1, sizeof(*d)));
    d->path = ty_xalloc(strdup(path));
    if (use == TY_HISTORY_DB_READ)
        r = open_reader(d, err);
    else {
        r = open_db(d, use, "", err);
        if (r == 0)
            r = prepare_file(d, err);
    }
    if (r < 0)
        ty_history_db_close(d);
    else
        *ret = d;
    return r;
}

int ty_history_db_check(struct ty_history_db *d, struct ty_err *err)
{
    sqlite3_stmt *s = NULL;
    int r = 0;

    if (sqlite3_prepare_v2(d->db, "PRAGMA quick_check(1)", -1, &s, NULL) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_ROW)
        r = ty_history_db_fail(d, err);
    else if (strcmp((const char *)sqlite3_column_text(s, 0), "ok") != 0)
        r = ty_fail(err, -EIO, "%s is damaged: %s", d->path, sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    return r;
}

void ty_history_db_close(struct ty_history_db *d)
{
    if (!d)
        return;
    if (d->log > LOG_LEFT) {
        ty_history_db_busy_timeout(
            d, 0); /* another process that reads or writes now can checkpoint later */
        sqlite3_wal_checkpoint_v2(d->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    }
    close_db(d);
    free(d->path);
    free(d);
}

void ty_history_db_busy_timeout(struct ty_history_db *d, int ms)
{
    sqlite3_busy_timeout(d->db, ms);
}

sqlite3_stmt *ty_history_db_stmt(struct ty_history_db *d, enum ty_history_db_stmt which,
                                 struct ty_err *err)
{
    sqlite3_stmt **s = &d->sql[which];

    if (!*s && sqlite3_prepare_v3(d->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, s, NULL) !=
                   SQLITE_OK) {
        ty_history_db_fail(d, err);
        return NULL;
    }
    sqlite3_reset(*s);
    sqlite3_clear_bindings(*s);
    return *s;
}

void ty_history_db_bind(sqlite3_stmt *s, int at, struct ty_str text)
{
    sqlite3_bind_text64(s, at, text.p ? text.p : "", text.n, SQLITE_STATIC, SQLITE_UTF8);
}

int ty_history_db_step(struct ty_history_db *d, sqlite3_stmt *s, struct ty_err *err)
{
    int code = sqlite3_step(s);
    int r = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : ty_history_db_fail(d, err);

    sqlite3_reset(s); /* ends the transaction and releases bindings */
    return r;
}

int ty_history_db_exec(struct ty_history_db *d, enum ty_history_db_stmt which, struct ty_err *err)
{
    sqlite3_stmt *s = ty_history_db_stmt(d, which, err);
    return s ? ty_history_db_step(d, s, err) : err ? err->code : -EIO;
}

int ty_history_db_begin_run(struct ty_history_db *d, struct ty_history_db_run *run,
                            struct ty_err *err)
{
    sqlite3_stmt *s = ty_history_db_stmt(d, TY_SQL_RUN_ADD, err);

    if (!s)
        return -EIO;
    sqlite3_bind_int64(s, 1, run->pid);
    ty_history_db_bind(s, 2, ty_str(run->dir));
    ty_history_db_bind(s, 3, ty_str(run->command));
    sqlite3_bind_int64(s, 4, run->started_ms);
    int r = ty_history_db_step(d, s, err);
    if (r == 0)
        run->id = sqlite3_last_insert_rowid(d->db);
    return r;
}

int ty_history_db_end_run(struct ty_history_db *d, int64_t run, int64_t ended_ms, const char *how,
                          struct ty_err *err)
{
    sqlite3_stmt *s = ty_history_db_stmt(d, TY_SQL_RUN_END, err);

    if (!s)
        return -EIO;
    sqlite3_bind_int64(s, 1, run);
    sqlite3_bind_int64(s, 2, ended_ms);
    ty_history_db_bind(s, 3, ty_str(how));
    return ty_history_db_step(d, s, err);
}
