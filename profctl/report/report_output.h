/* What all reports print with: text from a profile, and one line of JSON. One thread. */
#ifndef PROFD_PROFCTL_REPORT_OUTPUT_H
#define PROFD_PROFCTL_REPORT_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "json/failure_latch.h"
#include "json/json_writer.h"
#include "json/unique_strings.h"

/* Text from a profile, which may be anything, stays on its line, in its direction: a terminal obeys
 * none of it. What is not UTF-8 is shown as U+FFFD. */
void report_put_text(const char *text, size_t length, FILE *out);
void report_put_name(const struct unique_strings *names, uint32_t name, FILE *out);

/* One line of JSON on its way to a file; not to be moved. */
struct report_json {
    struct json_writer writer;
    struct failure_latch latch;
};

/* Begins the object that is the line; OUT is borrowed. */
void report_json_begin(struct report_json *json, FILE *out);
/* Ends it, and frees what was needed. Returns 0 or a negative errno. */
int report_json_end(struct report_json *json, FILE *out);

/* A member whose value is a name; UNIQUE_NONE is null. */
void report_json_name(struct json_writer *writer, const char *member,
                      const struct unique_strings *names, uint32_t name);

#endif
