/* A text stream that writes to a sink, for formats that consist of lines. One thread. */
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

/* Opens TEXT, which must be zeroed and must not move. Returns 0 or -ENOMEM; TEXT needs
 * text_output_close() in any case. */
int text_output_open(struct text_output *text, json_sink_write write, void *context);

/* Writes a name so that it stays on its line: control characters become spaces, and SEPARATOR (NUL:
 * none) becomes ':'. */
void text_output_put(struct text_output *text, const char *name, size_t length, char separator);

/* Passes everything to the sink. Returns 0 or the first error. */
int text_output_flush(struct text_output *text);
/* Closes TEXT. Safe to repeat. */
void text_output_close(struct text_output *text);

#endif
