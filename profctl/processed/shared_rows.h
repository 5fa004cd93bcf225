/* Rows of shared tables that only the implementation of the tables uses. */
#ifndef PROFD_PROFCTL_SHARED_ROWS_H
#define PROFD_PROFCTL_SHARED_ROWS_H

#include <stdint.h>

enum shared_function_flag {
    FUNCTION_IS_SCRIPT = 1,
    FUNCTION_HAS_RESOURCE = 4,
    FUNCTION_HAS_SOURCE = 8,
    FUNCTION_HAS_LINE = 16,
    FUNCTION_HAS_COLUMN = 32,
};

struct shared_function {
    uint32_t flags; /* enum shared_function_flag */
    uint32_t name, resource, source, line, column;
};

/* The numbers of kinds in the viewer. */
enum shared_resource_kind { RESOURCE_LIBRARY = 1, RESOURCE_FILE = 5 };

struct shared_resource {
    uint32_t name, kind; /* enum shared_resource_kind */
};

struct shared_source {
    uint32_t file;
};

struct shared_stack {
    uint32_t frame;
    uint32_t prefix; /* UNIQUE_NONE: none */
};

#endif
