/* What the machine knows of a process: its systemd unit, pod and container by its cgroup, and the
 * labels that stand in its own environment. One thread. */
#ifndef PROFD_PROFCTL_PROCESS_LABELS_H
#define PROFD_PROFCTL_PROCESS_LABELS_H

#include <stdint.h>

#include "common/label_list.h"

/* Sets in MACHINE what the cgroup of PID tells, "unit", "pod" and "container", and in OWN what its
 * variable PROFD_LABELS says, but for *LEFT_OUT labels. 0, or a negative errno when the process is
 * gone or another user's: some of it may be set. */
int process_labels_read(int64_t pid, struct label_list *machine, struct label_list *own,
                        size_t *left_out);

/* --- Pure parts --- */

/* The same of TEXT, as it stands in /proc/PID/cgroup. */
void process_labels_of_cgroup(const char *text, struct label_list *list);

/* "nginx" of the unit "nginx.service" or "nginx@2.service": what the unit's processes serve.
 * LENGTH 0: the unit is no service. */
void process_labels_service_of_unit(const char *unit, const char **service, size_t *length);

#endif
