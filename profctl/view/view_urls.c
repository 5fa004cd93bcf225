#include "profctl/view/view_urls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* "http://127.0.0.1:PORT/TOKEN" as a part of another address. */
#define BASE_ESCAPED "http%%3A%%2F%%2F127.0.0.1%%3A%u%%2F%s"

int view_urls_make(uint16_t port, const char *token, struct view_urls *out)
{
    *out = (struct view_urls){ 0 };
    if (asprintf(&out->page, "http://127.0.0.1:%u/%s/", (unsigned)port, token) < 0)
        out->page = NULL;
    if (asprintf(&out->firefox_profiler,
                 "https://profiler.firefox.com/from-url/" BASE_ESCAPED
                 "%%2Fprofile.json/?symbolServer=" BASE_ESCAPED,
                 (unsigned)port, token, (unsigned)port, token) < 0)
        out->firefox_profiler = NULL;
    if (out->page != NULL && out->firefox_profiler != NULL)
        return 0;
    view_urls_free(out);
    return -ENOMEM;
}

void view_urls_free(struct view_urls *urls)
{
    free(urls->page);
    free(urls->firefox_profiler);
    *urls = (struct view_urls){ 0 };
}
