/* What a session can record, and its list as written by users: comma-separated names.
 *
 * The bits are part of the protocol: append, never reuse. Pure. */
#ifndef PROFD_COMMON_FEATURES_H
#define PROFD_COMMON_FEATURES_H

#include <stdint.h>

#define FEATURES(X)                                                                                \
    X(STACKS, 0, "stacks", "sample the stacks of threads")                                         \
    X(CPU, 1, "cpu", "CPU use of each thread with each sample")                                    \
    X(MARKERS, 2, "markers", "record markers")                                                     \
    X(LABELS, 3, "labels", "record labels")                                                        \
    X(MEMORY, 4, "memory", "count what the program allocates and frees")                           \
    X(NATIVEALLOCS, 5, "nativeallocs", "sample allocations with their stacks, and their frees")    \
    X(COUNTERS, 6, "counters", "counters of the program")                                          \
    X(PROCESS_CPU, 7, "processcpu", "CPU use of each process")                                     \
    X(PROCESS_MEMORY, 8, "processmemory", "memory of each process")                                \
    X(SWITCHES, 9, "switches", "context switches of each process")                                 \
    X(POWER, 10, "power", "energy used by the machine, where the kernel reports it")               \
    X(RESPONSIVENESS, 11, "responsiveness", "how long events wait for threads that run a loop")    \
    X(UNREGISTERED_THREADS, 12, "unregisteredthreads",                                             \
      "CPU use of threads that the kernel knows but profd does not")                               \
    X(GROUPS, 13, "groups",                                                                        \
      "performance groups: CPU time as graphs, iterations over 16 ms as markers")

enum feature {
#define X(name, bit, text, help) FEATURE_##name = 1u << bit,
    FEATURES(X)
#undef X
        FEATURES_DEFAULT =
            FEATURE_STACKS | FEATURE_CPU | FEATURE_MARKERS | FEATURE_LABELS | FEATURE_COUNTERS |
            FEATURE_PROCESS_CPU | FEATURE_PROCESS_MEMORY | FEATURE_RESPONSIVENESS,
    FEATURES_OF_ALLOCATIONS = FEATURE_MEMORY | FEATURE_NATIVEALLOCS
};

#define X(name, bit, text, help) | FEATURE_##name
enum { FEATURES_ALL = 0 FEATURES(X) };
#undef X
#define X(name, bit, text, help) +1
enum { FEATURE_COUNT = 0 FEATURES(X) };
#undef X

enum {
    FEATURE_WORD_BYTES = 64, /* the longest word that is quoted, with its NUL */
    FEATURE_REFUSAL_BYTES = 2 * FEATURE_WORD_BYTES + 64,
    FEATURES_TEXT_BYTES = 1024 /* all names, with commas and a NUL */
};

/* Gets the bits of the names in TEXT. Returns 0, or -EINVAL with the first unknown word in
 * UNKNOWN. */
int features_parse(const char *text, uint64_t *bits, char unknown[FEATURE_WORD_BYTES]);

/* The name that WORD was most likely meant to be; NULL when none is near. */
const char *features_nearest(const char *word);

/* Writes what is wrong with UNKNOWN, and what was meant or where names are listed. Returns OUT. */
const char *features_refuse(const char *unknown, char out[FEATURE_REFUSAL_BYTES]);

/* Writes the names of BITS, as features_parse() reads them; bits without a name are omitted.
 * Returns OUT. */
const char *features_format(uint64_t bits, char out[FEATURES_TEXT_BYTES]);

/* Their names as a NULL-terminated array. */
void features_names(uint64_t bits, const char *out[FEATURE_COUNT + 1]);

#endif
