/* The addresses under which a view is seen. Pure. */
#ifndef PROFD_PROFCTL_VIEW_URLS_H
#define PROFD_PROFCTL_VIEW_URLS_H

#include <stdint.h>

struct view_urls {
    char *page;             /* our own; owned, as the next */
    char *firefox_profiler; /* loads the profile from us, and asks us for symbols and sources */
};

/* Returns 0 or -ENOMEM. */
int view_urls_make(uint16_t port, const char *token, struct view_urls *out);
void view_urls_free(struct view_urls *urls);

#endif
