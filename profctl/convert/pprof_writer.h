/* The parts of pprof's format that know neither threads nor places, by protobuf-c: its table of
 * strings, and messages on their way to a sink.
 *
 * Messages of one type that follow one another are one message, so a profile is written in pieces:
 * first what its samples are, then samples, at the end places and strings. One thread. */
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
    struct unique_strings strings; /* the profile's table; the first is "" */
    json_sink_write write;
    void *context;
};

void pprof_writer_init(struct pprof_writer *writer, json_sink_write write, void *context);
void pprof_writer_fini(struct pprof_writer *writer);

/* The number of TEXT in the table of strings; what finds no memory is latched, and is the next
 * message's error. */
int64_t pprof_writer_string(struct pprof_writer *writer, const char *text, size_t length);
int64_t pprof_writer_word(struct pprof_writer *writer, const char *word);

/* 0, -ENOMEM, or the sink's error. */
int pprof_writer_message(struct pprof_writer *writer, const Pprof__Profile *message);

/* A sample of the frames in PATH, the outermost first, which are indices of places.
 * The sample has its values and labels already. 0, -ENOMEM, or the sink's error. */
int pprof_writer_sample(struct pprof_writer *writer, const uint32_t *path, size_t depth,
                        Pprof__Sample *sample);

/* Writes the table of strings: nothing may be added afterwards. 0, -ENOMEM, or the sink's
 * error. */
int pprof_writer_strings(struct pprof_writer *writer);

#endif
