/* How the viewer draws a counter, and what it says of it, by the names that it knows. */
#ifndef PROFD_PROFCTL_COUNTER_DISPLAY_H
#define PROFD_PROFCTL_COUNTER_DISPLAY_H

#include "json/json_writer.h"

/* Writes the member "display" of a counter NAME in CATEGORY. */
void counter_display_write(const char *name, const char *category, struct json_writer *writer);

#endif
