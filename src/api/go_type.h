/* Go's types that are strings by another name: the words of its decoder show them. */
#ifndef TY_API_GO_TYPE_H
#define TY_API_GO_TYPE_H

/* The type of member `field` of Go's struct `owner`, or of its items if it is a list, with its
 * package ("v1.TaintEffect"); "string" where it has no name of its own. */
const char *ty_go_type_name(const char *owner, const char *field);

#endif
