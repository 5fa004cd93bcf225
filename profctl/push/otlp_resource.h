/* Who profiles are of as a resource of OTLP, under the names of OpenTelemetry's conventions where
 * it has one. Keys are there once: a label takes the place of what is found out under its name. One
 * thread. */
#ifndef PROFD_PROFCTL_OTLP_RESOURCE_H
#define PROFD_PROFCTL_OTLP_RESOURCE_H

#include "json/mapped_array.h"
#include "profctl/push/push_source.h"

/* Appends the resource of SOURCE to OUT (char), as part of a message ResourceProfiles. Returns 0 or
 * -ENOMEM. */
int otlp_resource_append(const struct push_source *source, struct mapped_array *out);

#endif
