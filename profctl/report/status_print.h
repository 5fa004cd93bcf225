/* profd's status document as text for people. */
#ifndef PROFD_PROFCTL_STATUS_PRINT_H
#define PROFD_PROFCTL_STATUS_PRINT_H

#include <stdio.h>

/* Prints JSON, as profd sent it. 0, or -EPROTO when it is no status document. */
int status_print(const char *json, FILE *out);

#endif
