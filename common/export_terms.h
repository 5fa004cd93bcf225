/* The bounds and addresses of exports, shared by the command line and the config. Pure. */
#ifndef PROFD_COMMON_EXPORT_TERMS_H
#define PROFD_COMMON_EXPORT_TERMS_H

#include <stdbool.h>
#include <stdint.h>

enum { EXPORT_LEAST_EVERY_MS = 1000, EXPORT_MOST_EVERY_MS = 60 * 60 * 1000 };
enum { EXPORT_LEAST_SPOOL_BYTES = 1 << 20 }; /* a batch that is larger than the spool is lost */
enum { EXPORT_PROBLEM_BYTES = 160 };

/* Whether URL is of a kind of server to which profd can export. */
bool export_url_is_known(const char *url);

/* Whether all of URL is valid. If not, PROBLEM says what is wrong. */
bool export_url_check(const char *url, char problem[EXPORT_PROBLEM_BYTES]);

#endif
