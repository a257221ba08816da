/* Named string types of Go, which appear in the messages of its decoder. */
#ifndef TY_API_GO_TYPE_H
#define TY_API_GO_TYPE_H

/* The type of member `field` of Go's struct `owner`, or of its items if it is a list, with its
 * package ("v1.TaintEffect"); "string" if it has no type of its own. */
const char *ty_go_type_name(const char *owner, const char *field);

#endif
