/* A stream of text in front of a sink, for formats that are lines. One thread. */
#ifndef PROFD_PROFCTL_TEXT_OUTPUT_H
#define PROFD_PROFCTL_TEXT_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

#include "json/json_writer.h"

struct text_output {
    FILE *file;
    json_sink_write write;
    void *context;
    int error; /* the first one of the sink; 0: none */
};

/* Zeroed memory that stays where it is. 0 or -ENOMEM; needs text_output_close() either way. */
int text_output_open(struct text_output *text, json_sink_write write, void *context);

/* Writes a name that is to stay on its line: control characters become spaces, SEPARATOR (NUL:
 * none) becomes ':'. */
void text_output_put(struct text_output *text, const char *name, size_t length, char separator);

/* Gives all to the sink. 0 or the first error. */
int text_output_flush(struct text_output *text);
/* Safe to repeat. */
void text_output_close(struct text_output *text);

#endif
