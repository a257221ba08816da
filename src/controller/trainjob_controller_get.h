/* GETs of single live objects, besides ty_trainjob_controller_get. */
#ifndef TY_CONTROLLER_TRAINJOB_CONTROLLER_GET_H
#define TY_CONTROLLER_TRAINJOB_CONTROLLER_GET_H

#include "controller/trainjob_controller_inner.h"

/* Requeues this job if the API server still has it. */
void ty_trainjob_controller_get_verify(struct ty_trainjob_controller *j, struct ty_str ns,
                                       struct ty_str name);
void ty_trainjob_controller_get_cancel_all(struct ty_trainjob_controller *j);

#endif
