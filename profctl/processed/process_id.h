/* Process ids, which are text in processed profiles. */
#ifndef PROFD_PROFCTL_PROCESS_ID_H
#define PROFD_PROFCTL_PROCESS_ID_H

#include <stdio.h>

#include "json/json_writer.h"

/* Writes the member "pid"; an unknown id is written as "0". */
static inline void process_id_write(struct json_writer *writer, double pid)
{
    char text[32];

    snprintf(text, sizeof(text), "%.0f", pid >= 0 && pid < 9e15 ? pid : 0.0);
    json_string_property(writer, "pid", text);
}

#endif
