/* What a lane says about each of its processes: id, command line, how it ended, CPU time. One
 * thread.
 */
#ifndef PROFD_PROFCTL_LANE_PROCESS_H
#define PROFD_PROFCTL_LANE_PROCESS_H

#include "json/json_writer.h"
#include "profctl/processed/lane_choice.h"

/* Writes the members "pid", "command", "end" and "cpu" (ms), of which the last two may not be told,
 * of the process that entered SLOT last, ended as LOG tells, and used CPU_MS (below 0: not known).
 */
void lane_process_put(const struct lane_slot *slot, const struct process_log *log, double cpu_ms,
                      struct json_writer *writer);

#endif
