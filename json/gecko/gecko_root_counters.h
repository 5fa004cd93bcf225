/* Writes the root's own counters as members of the open object. For gecko_root.c only. */
#ifndef PROFD_JSON_GECKO_ROOT_COUNTERS_H
#define PROFD_JSON_GECKO_ROOT_COUNTERS_H

#include "json/gecko/gecko_root.h"

void gecko_root_stream_counters(struct json_writer *writer,
                                const struct gecko_root_options *options);

#endif
