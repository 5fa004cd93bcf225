/* Marks the functions that the library puts before the C library's, on purpose. */
#ifndef PROFD_AGENT_INTERPOSE_H
#define PROFD_AGENT_INTERPOSE_H

#define PROFD_INTERPOSED __attribute__((visibility("default")))

#endif
