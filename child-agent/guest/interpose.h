/* Marks the functions with which the library intentionally replaces those of the C library. */
#ifndef PROFD_AGENT_INTERPOSE_H
#define PROFD_AGENT_INTERPOSE_H

#define PROFD_INTERPOSED __attribute__((visibility("default")))

#endif
