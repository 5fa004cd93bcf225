/* "export" in a config: a URL, or an object with a URL and further options for profctl export. */
#ifndef PROFD_DAEMON_CONFIG_EXPORT_H
#define PROFD_DAEMON_CONFIG_EXPORT_H

#include "daemon/programs/config_reader.h"

/* Reads the value into EXPORT, which is zeroed before. Returns 0 or the errors of config_reader.h.
 * EXPORT needs config_free_export() in any case. */
int config_read_export(struct config_reader *reader, struct export_config *export);

/* Frees what EXPORT owns. Safe on a zeroed struct. */
void config_free_export(struct export_config *export);

#endif
