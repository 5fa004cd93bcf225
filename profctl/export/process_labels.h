/* What the machine knows about a process: its systemd unit, pod and container from its cgroup, and
 * the labels in its environment. One thread. */
#ifndef PROFD_PROFCTL_PROCESS_LABELS_H
#define PROFD_PROFCTL_PROCESS_LABELS_H

#include <stdint.h>

#include "common/label_list.h"

/* Sets "unit", "pod" and "container" in MACHINE from the cgroup of the process that had PID at
 * SEEN_NS (see same_process.h), and the labels of its variable PROFD_LABELS in OWN, except for
 * *LEFT_OUT labels. Returns 0, or a negative errno if the process is gone or belongs to another
 * user; some labels may be set then. */
int process_labels_read(int64_t pid, int64_t seen_ns, struct label_list *machine,
                        struct label_list *own, size_t *left_out);

/* --- Pure parts --- */

/* Sets the labels from TEXT, the contents of /proc/PID/cgroup. */
void process_labels_of_cgroup(const char *text, struct label_list *list);

/* Finds what the processes of UNIT serve: "nginx" in "nginx.service" or "nginx@2.service". LENGTH
 * 0: the unit is not a service. */
void process_labels_service_of_unit(const char *unit, const char **service, size_t *length);

#endif
