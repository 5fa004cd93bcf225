/* What the rest of the agent needs of labels.c. */
#ifndef PROFD_AGENT_LABELS_H
#define PROFD_AGENT_LABELS_H

/* In a forked child, registers the labels that the forking thread has pushed in the child's
 * dictionary. */
void labels_after_fork_child(void);

#endif
