/* A cJSON document as text that is always UTF-8. cJSON passes on what it is given, and names of
 * files and programs are any bytes. */
#ifndef PROFD_JSON_DOCUMENT_PRINT_H
#define PROFD_JSON_DOCUMENT_PRINT_H

#include <cjson/cJSON.h>

/* The text of ROOT, on one line, with replacement characters for what is not UTF-8; the caller's to
 * free(). NULL: no memory. */
char *document_print(const cJSON *root);

#endif
