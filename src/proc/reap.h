/* Kills orphans. A shim adopts the orphans below it (as init of a PID namespace, or as a
 * subreaper); children that it did not start itself were left behind by a container that ended, and
 * are killed with all their descendants. In a few rounds nothing is left, whatever it did to hide:
 * setsid, double forks, forking on and on. */
#ifndef TY_PROC_REAP_H
#define TY_PROC_REAP_H

#include <stddef.h>
#include <sys/types.h>

/* One round: kills the children that are not among `mine`, and their descendants. How many of them
 * were alive. Better not reap between rounds: zombies count against the limit of processes, so that
 * a fork bomb at its limit cannot grow while it dies. */
size_t ty_reap_orphans(const pid_t *mine, size_t n);
/* Kills and reaps all children until none is left. */
void ty_reap_everything(void);
/* Sends to pid's process group, and to all its descendants outside of that. */
void ty_reap_signal_tree(pid_t pid, int sig);

#endif
