/* What a lane shows about each of its processes: id, command line, how it ended, CPU time. One
 * thread. */
#ifndef PROFD_PROFCTL_LANE_PROCESS_H
#define PROFD_PROFCTL_LANE_PROCESS_H

#include "json/json_writer.h"
#include "profctl/processed/lane_choice.h"

/* Writes the members "pid", "command", "end" and "cpu" (ms) of the process that entered SLOT last,
 * which LOG describes and which used CPU_MS (negative: not known). The last two members may be
 * missing. */
void lane_process_put(const struct lane_slot *slot, const struct process_log *log, double cpu_ms,
                      struct json_writer *writer);

#endif
