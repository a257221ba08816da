/* A path inside a volume (subPath). Links are resolved as if the volume were the root directory, so
 * that none that somebody else put into it leads out of it. */
#ifndef TY_PROC_SUB_PATH_H
#define TY_PROC_SUB_PATH_H

/* Opens `sub` below the directory `volume`, with O_PATH. Returns a descriptor, or -errno; -ENOSYS
 * before Linux 5.6. Async-signal-safe. */
int ty_sub_path_open(const char *volume, const char *sub);
/* Creates the directories of `sub` that are missing. Returns 0 or -errno. What exists may be a
 * file, if it is the last part. */
int ty_sub_path_create(const char *volume, const char *sub);

#endif
