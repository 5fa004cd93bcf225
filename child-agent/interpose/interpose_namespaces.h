/* Namespaces that the program enters. */
#ifndef PROFD_AGENT_INTERPOSE_NAMESPACES_H
#define PROFD_AGENT_INTERPOSE_NAMESPACES_H

/* Called before the program enters namespaces of the kinds FLAGS, by unshare(), or by setns(),
 * where 0 is any kind. Of a call by number nobody hears whether it failed. Any thread; makes no
 * call. */
void interpose_namespaces_note(int flags);

#endif
