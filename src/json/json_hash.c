/* The hash of a value. The hashes of members are added, because members have no order. Keys are
 * unique, and the hash is keyed, so users cannot choose the terms of the sum. */
#include "base/hash.h"
#include "json/json.h"

uint64_t ty_json_hash(const struct ty_json *v)
{
    uint64_t h = 0;

    if (!v)
        return 1;
    switch ((enum ty_json_type)v->type) {
    case TY_JSON_NULL:
        return 2;
    case TY_JSON_BOOL:
        return 3 + (uint64_t)v->b;
    case TY_JSON_INT:
        return ty_hash_pair(5, (uint64_t)v->i);
    case TY_JSON_NUMBER:
    case TY_JSON_STRING:
        return ty_hash_bytes(6 + (uint64_t)v->type, v->s, v->n);
    case TY_JSON_ARRAY:
        ty_each_item (it, v)
            h = ty_hash_pair(h, ty_json_hash(*it));
        return ty_hash_pair(h, 20);
    case TY_JSON_OBJECT:
        ty_each_member (m, v)
            h += ty_hash_bytes(ty_json_hash(m->value), m->key.p, m->key.n);
        return ty_hash_pair(h, 22);
    default:
        return 0;
    }
}
