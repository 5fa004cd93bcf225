/* What the rest of the agent does with the labels of labels.c. */
#ifndef PROFD_AGENT_LABELS_H
#define PROFD_AGENT_LABELS_H

/* Numbers the labels that the forking thread has pushed anew, in the child's dictionary. */
void labels_after_fork_child(void);

#endif
