/* Removes directories that jobs have written to. */
#ifndef TY_PROC_TREE_REMOVE_H
#define TY_PROC_TREE_REMOVE_H

/* With all that is in it, but without what is mounted below it. Links are removed, not followed.
 * depth: enum ty_state_depth, or 1 (no_links.h). */
void ty_tree_remove(const char *path, unsigned depth);

#endif
