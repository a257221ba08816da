/* Runs a fuzz target over every file of the given folders: the corpus as a test, with any compiler.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *f = fopen(path, "re");
    if (!f) {
        fprintf(stderr, "%s: cannot open\n", path);
        return 1;
    }
    size_t cap = 1 << 16, n = 0, got = 0;
    uint8_t *p = malloc(cap);
    while (p && (got = fread(p + n, 1, cap - n, f)) > 0) {
        n += got;
        if (n == cap)
            p = realloc(p, cap *= 2);
    }
    fclose(f);
    if (!p)
        return 1;
    /* An exact copy, so that a read past the end is seen by ASan. */
    uint8_t *exact = malloc(n ? n : 1);
    if (exact) {
        memcpy(exact, p, n);
        LLVMFuzzerTestOneInput(exact, n);
    }
    free(exact);
    free(p);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned ran = 0;
    int bad = 0;
    for (int i = 1; i < argc; i++) {
        DIR *d = opendir(argv[i]);
        if (!d) {
            fprintf(stderr, "%s: no corpus here\n", argv[i]);
            return 1;
        }
        for (struct dirent *e = readdir(d); e; e = readdir(d)) {
            if (e->d_name[0] == '.')
                continue;
            char path[4096];
            snprintf(path, sizeof(path), "%s/%s", argv[i], e->d_name);
            bad |= run_file(path);
            ran++;
        }
        closedir(d);
    }
    printf("%u inputs replayed\n", ran);
    return ran == 0 || bad;
}
