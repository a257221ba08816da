/* Paths as text: no links are followed, and ".." has no meaning. */
#ifndef TY_BASE_PATH_H
#define TY_BASE_PATH_H

/* What of path is below dir: "" for dir itself, "/c" of "/a/b/c" below "/a/b"; NULL if it is not
 * there. Both are absolute, or both relative to the same directory. Repeated slashes and those at
 * the end do not count. Async-signal-safe. */
const char *ty_path_below(const char *path, const char *dir);

#endif
