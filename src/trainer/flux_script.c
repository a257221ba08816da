/* Generates the scripts. Values of the job are shell variables at the top of each script; the rest
 * of a script is constant. */
#include "trainer/flux_script.h"

#include <inttypes.h>
#include <nettle/curve25519.h>

#include "base/buf.h"
#include "trainer/z85.h"

/* "0" for one, "0-3" for four: Flux's index sets. */
static const char *index_set(struct ty_arena *a, int64_t n)
{
    return n <= 1 ? "0" : ty_arena_printf(a, "0-%" PRId64, n - 1);
}

static const char *host_list(struct ty_arena *a, const struct ty_flux *f)
{
    return ty_arena_printf(a, "%.*s-%.*s-0-[%s]", TY_ARG(f->job), TY_ARG(f->rjob),
                           index_set(a, f->nodes));
}

/* A TOML string, escaped: a user's value cannot end the string or the line. */
static void put_toml(struct ty_buf *out, const char *key, struct ty_str v)
{
    ty_buf_printf(out, "%s = \"", key);
    for (size_t i = 0; i < v.n; i++) {
        unsigned char c = (unsigned char)v.p[i];
        if (c < 0x20 || c == 0x7f)
            ty_buf_printf(out, "\\u%04x", (unsigned)c);
        else if (c == '"' || c == '\\')
            ty_buf_printf(out, "\\%c", c);
        else
            ty_buf_chr(out, (char)c);
    }
    ty_buf_cstr(out, "\"\n");
}

static void put_broker_config(struct ty_buf *out, struct ty_arena *a, const struct ty_flux *f)
{
    ty_buf_cstr(out, "[access]\n"
                     "allow-guest-user = true\n"
                     "allow-root-owner = true\n"
                     "\n"
                     "[resource]\n"
                     "path = \"/mnt/flux/config/etc/flux/system/R\"\n"
                     "\n"
                     "[bootstrap]\n"
                     "curve_cert = \"/mnt/flux/config/etc/curve/curve.cert\"\n"
                     "default_port = 8050\n");
    put_toml(out, "default_bind", ty_str(ty_arena_printf(a, "tcp://%.*s:%%p", TY_ARG(f->device))));
    put_toml(out, "default_connect",
             ty_str(ty_arena_printf(a, "tcp://%%h.%.*s.%.*s.svc.cluster.local:%%p",
                                    TY_ARG(f->subdomain), TY_ARG(f->ns))));
    ty_buf_printf(out, "hosts = [ { host = \"%s\" } ]\n", host_list(a, f));
    ty_buf_cstr(out, "\n"
                     "[archive]\n"
                     "dbpath = \"/mnt/flux/config/var/lib/flux/job-archive.sqlite\"\n"
                     "period = \"1m\"\n"
                     "busytimeout = \"50s\"\n"
                     "\n"
                     "[sched-fluxion-qmanager]\n");
    put_toml(out, "queue-policy", f->queue_policy);
}

static struct ty_str buf_to_arena(struct ty_arena *a, const struct ty_buf *b)
{
    return ty_arena_str(a, ty_buf_str(b));
}

struct ty_str ty_flux_init(struct ty_arena *a, const struct ty_flux *f)
{
    ty_auto_buf out = { 0 };

    ty_buf_printf(&out,
                  "#!/bin/bash\n"
                  "# Runs in the installer: copies Flux into the shared volume and configures it.\n"
                  "set -u\n"
                  "hosts='%s'\n",
                  host_list(a, f));
    ty_buf_cstr(&out, "\n"
                      "# This image keeps Flux under /opt/view.\n"
                      "export PATH=\"/opt/view/bin:$PATH\"\n"
                      "cfg=/mnt/flux/config\n"
                      "mkdir -p \"$cfg\"/etc/flux/{config,system/cron.d} \"$cfg\"/etc/curve \\\n"
                      "    \"$cfg\"/var/lib/flux \"$cfg\"/run/flux /mnt/flux/view\n"
                      "printf '%s\\n' \"$hosts\" > \"$cfg/etc/flux/system/hostlist\"\n"
                      "cat > \"$cfg/etc/flux/config/broker.toml\" <<'END_OF_BROKER_TOML'\n");
    put_broker_config(&out, a, f);
    ty_buf_cstr(&out,
                "END_OF_BROKER_TOML\n"
                "\n"
                "# The view is the one directory that Spack made; its links lead to the software.\n"
                "for view in /opt/views/._view/*; do\n"
                "    cp -R \"$view\"/* /mnt/flux/view/\n"
                "    break\n"
                "done\n"
                "cp -R /opt/software /mnt/flux/\n"
                "if [ ! -x /mnt/flux/view/bin/flux ]; then\n"
                "    echo 'flux-installer: this image has no Flux in /opt/views' >&2\n"
                "    exit 1\n"
                "fi\n"
                "touch /mnt/flux/flux-operator-done.txt\n");
    return buf_to_arena(a, &out);
}

/* The part that differs between jobs. */
static void put_entrypoint_values(struct ty_buf *out, struct ty_arena *a, const struct ty_flux *f)
{
    ty_buf_printf(
        out,
        "#!/bin/bash\n"
        "# Runs in every node: joins the Flux instance; the first node submits the command.\n"
        "hosts='%s'\n"
        "main_host='%.*s-%.*s-0-0'\n",
        host_list(a, f), TY_ARG(f->job), TY_ARG(f->rjob));
    ty_buf_printf(out, "run_flags='-N %" PRId64 " -n %" PRId64, f->nodes, f->tasks * f->nodes);
    if (f->gpus > 0)
        ty_buf_printf(out, " -g %" PRId64, f->gpus);
    ty_buf_printf(out, "'\nresources='--cores=%s", index_set(a, f->tasks));
    if (f->gpus > 0)
        ty_buf_printf(out, " --gpu=%s", index_set(a, f->gpus));
    ty_buf_cstr(out, "'\n");
}

/* Flux's own Python, its scheduler, and a file to source in an interactive shell. */
static const char prepare[] =
    "\n"
    "cfg=/mnt/flux/config\n"
    "view=/mnt/flux/view\n"
    "export PATH=\"$PATH:$view/bin\"\n"
    "mkdir -p /opt/software\n"
    "cp -R /mnt/flux/software/* /opt/software/\n"
    "\n"
    "# The view was made for another place: tell Python where it is now.\n"
    "for lib in \"$view\"/lib/python3*; do\n"
    "    [ -d \"$lib\" ] || continue\n"
    "    export PYTHONPATH=\"${PYTHONPATH:+$PYTHONPATH:}$lib/site-packages\"\n"
    "    exe=\"$view/bin/$(basename \"$lib\")\"\n"
    "    [ -e \"$exe\" ] || continue\n"
    "    ln -sf \"$exe\" \"$view/bin/python3\"\n"
    "    ln -sf \"$exe\" \"$view/bin/python\"\n"
    "done\n"
    "export FLUX_RC_EXTRA=\"$view/etc/flux/rc1.d\"\n"
    "\n"
    "cat > /mnt/flux/load-fluxion.sh <<'END_OF_FILE'\n"
    "#!/bin/bash\n"
    "flux module remove sched-simple\n"
    "flux module load sched-fluxion-resource\n"
    "flux module load sched-fluxion-qmanager\n"
    "END_OF_FILE\n"
    "chmod +x /mnt/flux/load-fluxion.sh\n"
    "cat > /mnt/flux/flux-view.sh <<END_OF_FILE\n"
    "export PATH=\"$PATH\"\n"
    "export PYTHONPATH=\"${PYTHONPATH:-}\"\n"
    "export LD_LIBRARY_PATH=\"${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$view/lib\"\n"
    "export fluxsocket=\"local://$cfg/run/flux/local\"\n"
    "END_OF_FILE\n"
    "\n"
    "# Brokers refuse a certificate that others can read or own.\n"
    "cert=\"$cfg/etc/curve/curve.cert\"\n"
    "mkdir -p \"$cfg/etc/curve\"\n"
    "cp -f /curve/curve.cert \"$cert\"\n"
    "chmod go-r \"$cert\"\n"
    "chown \"$(id -u)\" \"$cert\"\n"
    "# shellcheck disable=SC2086\n"
    "flux R encode --hosts=\"$hosts\" $resources > \"$cfg/etc/flux/system/R\"\n"
    "\n"
    "export STATE_DIR=\"$cfg/var/lib/flux\"\n"
    "export FLUX_OUTPUT_DIR=/tmp/fluxout\n"
    "mkdir -p \"$STATE_DIR\" \"$FLUX_OUTPUT_DIR\"\n";

static const char start[] =
    "config=\"$cfg/etc/flux/config\"\n"
    "options=(-Scron.directory=\"$cfg/etc/flux/system/cron.d\"\n"
    "    -Stbon.fanout=256\n"
    "    -Srundir=\"$cfg/run/flux\"\n"
    "    -Sstatedir=\"$STATE_DIR\"\n"
    "    -Slocal-uri=\"local://$cfg/run/flux/local\"\n"
    "    -Slog-stderr-level=0\n"
    "    -Slog-stderr-mode=local)\n"
    "\n"
    "status=0\n"
    "if [ \"$(hostname)\" = \"$main_host\" ]; then\n"
    "    command=\"$*\"\n"
    "    if [ -z \"${command// /}\" ]; then\n"
    "        # Nothing to run: stay up for people to come in.\n"
    "        flux broker --config-path \"$config\" \"${options[@]}\"\n"
    "    else\n"
    "        # The command comes as one string of words.\n"
    "        # shellcheck disable=SC2086\n"
    "        flux start -o --config \"$config\" \"${options[@]}\" flux run $run_flags $command\n"
    "    fi\n"
    "    status=$?\n"
    "else\n"
    "    # The first node may come up last: try until it lets us go.\n"
    "    until flux start -o --config \"$config\" \"${options[@]}\"; do\n"
    "        sleep 15\n"
    "    done\n"
    "fi\n"
    "touch /mnt/flux/flux-operator-complete.txt\n"
    "exit \"$status\"\n";

struct ty_str ty_flux_entrypoint(struct ty_arena *a, const struct ty_flux *f)
{
    ty_auto_buf out = { 0 };

    put_entrypoint_values(&out, a, f);
    ty_buf_cstr(&out, prepare);
    ty_buf_cstr(&out, start);
    return buf_to_arena(a, &out);
}

struct ty_str ty_flux_curve(struct ty_arena *a, struct ty_str job, const unsigned char seed[32])
{
    unsigned char public[CURVE25519_SIZE];

    curve25519_mul_g(public, seed); /* clamps a copy; the file holds the seed as it is */
    char *text = ty_arena_printf(a,
                                 "#  ZeroMQ CURVE Secret Certificate\n"
                                 "#  Generated by Kubeflow Trainer\n"
                                 "\n"
                                 "metadata\n"
                                 "    name = \"%.*s\"\n"
                                 "curve\n"
                                 "    public-key = \"%s\"\n"
                                 "    secret-key = \"%s\"\n",
                                 TY_ARG(job), ty_z85_encode(a, public, sizeof(public)).p,
                                 ty_z85_encode(a, seed, 32).p);
    return ty_str(text);
}
