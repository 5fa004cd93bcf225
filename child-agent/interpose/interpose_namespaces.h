/* Namespaces that the program enters. */
#ifndef PROFD_AGENT_INTERPOSE_NAMESPACES_H
#define PROFD_AGENT_INTERPOSE_NAMESPACES_H

/* Called before the program tries to enter namespaces of the kinds FLAGS, by unshare(), or by
 * setns(), where 0 is any kind; and with the RESULT of that, below 0 if it failed. Any thread; they
 * make no call. A call by number has no result here, and counts as one that did not fail. */
void interpose_namespaces_note(int flags);
void interpose_namespaces_note_result(int flags, int result);

#endif
