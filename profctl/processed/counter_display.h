/* How the viewer draws and labels a counter, depending on its name. */
#ifndef PROFD_PROFCTL_COUNTER_DISPLAY_H
#define PROFD_PROFCTL_COUNTER_DISPLAY_H

#include "json/json_writer.h"

/* Writes the member "display" for the counter NAME in CATEGORY. */
void counter_display_write(const char *name, const char *category, struct json_writer *writer);

#endif
