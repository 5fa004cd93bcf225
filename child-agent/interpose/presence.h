/* Whether the process has libprofd.so: its own, or beside libprofd.a. */
#ifndef PROFD_AGENT_PRESENCE_H
#define PROFD_AGENT_PRESENCE_H

/* Defined in libprofd.so alone. Found by its name; what it holds means nothing. */
extern const char profd_library_is_here_ __attribute__((visibility("default")));

#endif
