/* Prints a cJSON document as text that is always valid UTF-8. cJSON does not check its strings, and
 * names of files and programs may be any bytes. */
#ifndef PROFD_JSON_DOCUMENT_PRINT_H
#define PROFD_JSON_DOCUMENT_PRINT_H

#include <cjson/cJSON.h>

/* Returns the text of ROOT on one line, with replacement characters for what is not UTF-8. The
 * caller frees it with free(). NULL: out of memory. */
char *document_print(const cJSON *root);

#endif
