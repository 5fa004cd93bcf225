/* One of the programs in a config. */
#ifndef PROFD_DAEMON_CONFIG_PROGRAM_H
#define PROFD_DAEMON_CONFIG_PROGRAM_H

#include "daemon/programs/config_reader.h"

/* Reads a program, after its '{', into PROGRAM, which has the default values. Returns 0 or the
 * errors of config_reader.h. PROGRAM needs config_free_program() in any case. */
int config_read_members(struct config_reader *reader, struct program_config *program);

/* Frees what PROGRAM owns. */
void config_free_program(struct program_config *program);

#endif
