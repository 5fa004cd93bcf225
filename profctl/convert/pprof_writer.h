/* The parts of the pprof format that depend neither on threads nor on places, written with
 * protobuf-c: the string table, and messages to a sink.
 *
 * Consecutive messages of one type are the same as one message, so a profile is written in pieces:
 * first the sample types, then the samples, and at the end the places and strings. One thread. */
#ifndef PROFD_PROFCTL_PPROF_WRITER_H
#define PROFD_PROFCTL_PPROF_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/json_writer.h"
#include "json/unique_strings.h"
#include "profctl/convert/pprof.pb-c.h"

enum { PPROF_FIRST_ID = 1 /* 0 is none */ };

/* Initialised by pprof_writer_init(). */
struct pprof_writer {
    struct failure_latch latch;
    struct unique_strings strings; /* the string table of the profile; the first is "" */
    json_sink_write write;
    void *context;
};

void pprof_writer_init(struct pprof_writer *writer, json_sink_write write, void *context);
void pprof_writer_fini(struct pprof_writer *writer);

/* Return the index of the text in the string table. Memory exhaustion is latched, and becomes the
 * error of the next message. */
int64_t pprof_writer_string(struct pprof_writer *writer, const char *text, size_t length);
int64_t pprof_writer_word(struct pprof_writer *writer, const char *word);

/* Writes MESSAGE. Returns 0, -ENOMEM, or the sink's error. */
int pprof_writer_message(struct pprof_writer *writer, const Pprof__Profile *message);

/* Writes SAMPLE, which has its values and labels already, with the frames in PATH, outermost first,
 * which are indices of places. Returns 0, -ENOMEM, or the sink's error. */
int pprof_writer_sample(struct pprof_writer *writer, const uint32_t *path, size_t depth,
                        Pprof__Sample *sample);

/* Writes the string table; nothing may be added afterwards. Returns 0, -ENOMEM, or the sink's
 * error. */
int pprof_writer_strings(struct pprof_writer *writer);

#endif
