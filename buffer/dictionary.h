/* The dictionary: records that give the numbers in chunks their meaning.
 *
 * It lies in the arena, is only appended to and never recycled. It describes threads, libraries,
 * the sites of labels and markers, categories and pauses. A record is framed like a block: a LEB128
 * size, one byte of kind, then the fields. Numbers are LEB128; strings and bytes are a LEB128
 * length followed by the bytes. Times are CLOCK_MONOTONIC ns. Readers skip unknown kinds. */
#ifndef PROFD_BUFFER_DICTIONARY_H
#define PROFD_BUFFER_DICTIONARY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buffer/arena.h"

#define DICTIONARY_KINDS(X)                                                                        \
    X(PROCESS, 1)       /* pid, parent pid, start ns, executable, command line (NUL-separated) */  \
    X(THREAD, 2)        /* index, tid, is main (0/1), start ns, name */                            \
    X(THREAD_NAME, 3)   /* index, ns, name: renamed */                                             \
    X(THREAD_END, 4)    /* index, ns */                                                            \
    X(LIBRARY, 5)       /* ns, start, end, load bias, path, build id bytes (0 to 64) */            \
    X(LIBRARY_END, 6)   /* ns, start: unmapped */                                                  \
    X(SITE, 7)          /* id, category id, line, name, function, file: a label or marker */       \
    X(CATEGORY, 8)      /* id, colour, name: id >= CATEGORY_FIRST_OWN */                           \
    X(PAUSE, 9)         /* ns: sampling and markers paused */                                      \
    X(RESUME, 10)       /* ns */                                                                   \
    X(PROCESS_NAME, 11) /* ns, name: shown for the process, e.g. "prefork: worker 3" */            \
    X(LOG, 12)          /* ns, text: for profilingLog */                                           \
    X(MARKER_TYPE, 14)  /* id, schema (buffer/marker_schema.h) */                                  \
    X(SITE_TYPE, 15)    /* site id, id of its marker type */                                       \
    X(SITE_FRAME, 16)   /* site id, column (0: none): the site is a frame of a language */         \
    X(SUBCATEGORY, 27)  /* id, id of its category, name; ids are shared with categories */         \
    X(COUNTER, 25)      /* index (below COUNTERS_MAX), name, category, description */              \
    X(SAMPLING_PAUSE, 28)  /* ns: samples and counters paused; markers go on */                    \
    X(SAMPLING_RESUME, 29) /* ns */                                                                \
    X(USER, 40)            /* id of the user who owns the files that the process makes */

enum dictionary_kind {
#define X(name, number) DICTIONARY_##name = number,
    DICTIONARY_KINDS(X)
#undef X
};

/* The categories that every profile has, in this order, before its own ones. */
#define CATEGORIES(X)                                                                              \
    X(IDLE, 0, "Idle", "transparent")                                                              \
    X(OTHER, 1, "Other", "grey")                                                                   \
    X(NATIVE, 2, "Native", "blue")                                                                 \
    X(LABEL, 3, "Label", "green")                                                                  \
    X(NETWORK, 4, "Network", "lightblue")                                                          \
    X(DISK, 5, "Disk", "orange")                                                                   \
    X(PARSE, 6, "Parse", "yellow")                                                                 \
    X(COMPUTE, 7, "Compute", "purple")                                                             \
    X(LOCK, 8, "Lock", "red")                                                                      \
    X(PROFILER, 9, "Profiler", "lightred")

enum dictionary_category {
#define X(name, number, text, colour) CATEGORY_##name = number,
    CATEGORIES(X)
#undef X
        CATEGORY_FIRST_OWN /* the first one that a program can create */
};

/* How many categories a process may create. A category or subcategory keeps its id for as long as
 * the process lives, so a dictionary need not contain all of them. */
enum {
    CATEGORY_MOST_OWN = 64,
    CATEGORY_MOST_SUBCATEGORIES = 32, /* of each category */
    CATEGORY_END = CATEGORY_FIRST_OWN + CATEGORY_MOST_OWN +
                   (CATEGORY_FIRST_OWN + CATEGORY_MOST_OWN) * CATEGORY_MOST_SUBCATEGORIES
};

/* The colours that viewers understand. */
#define CATEGORY_COLOURS(X)                                                                        \
    X(GREY, 0, "grey")                                                                             \
    X(TRANSPARENT, 1, "transparent")                                                               \
    X(PURPLE, 2, "purple")                                                                         \
    X(GREEN, 3, "green")                                                                           \
    X(ORANGE, 4, "orange")                                                                         \
    X(YELLOW, 5, "yellow")                                                                         \
    X(LIGHTBLUE, 6, "lightblue")                                                                   \
    X(BLUE, 7, "blue")                                                                             \
    X(BROWN, 8, "brown")                                                                           \
    X(MAGENTA, 9, "magenta")                                                                       \
    X(RED, 10, "red")                                                                              \
    X(LIGHTRED, 11, "lightred")                                                                    \
    X(DARKGREY, 12, "darkgrey")

struct dictionary {
    struct arena *arena; /* borrowed */
    pthread_mutex_t lock;
    const void *_Atomic holder; /* the thread that holds the lock for several records: an address
                                 * that is unique to it */
    uint32_t reserved_bytes;    /* guarded by lock: room reserved for the THREAD_END records of
                                 * running threads */
};

struct dictionary_library {
    uint64_t time_ns;
    uint64_t start, end,
        load_bias; /* addresses; a symbol's address is load_bias + its value in the file */
    const char *path;
    const uint8_t *build_id; /* NULL if it has none */
    size_t build_id_bytes;
};

struct dictionary_site {
    uint32_t id;
    uint32_t category;
    uint32_t line; /* 0: none */
    const char *name;
    const char *function; /* "" if unknown */
    const char *file;
};

/* All put functions can be called from any thread, but from a signal handler only while it holds
 * the dictionary. They return 0, or -ENOSPC (counted as DROP_DICTIONARY_FULL) if the dictionary or
 * its lease is exhausted. Strings and bytes are cut at 4096 bytes. The arguments are copied. */
void dictionary_init(struct dictionary *dictionary, struct arena *arena);

/* Makes LEDGER (borrowed) pay for the arena from now on. The units of the former ledger are not
 * given back; its user takes care of them. No chunk of the arena may be in use. Returns 0, or
 * -ENOSPC; nothing may be recorded then. */
int dictionary_move_lease(struct dictionary *dictionary, struct lease_ledger *ledger);

/* Holds the dictionary for the calling thread until dictionary_release(). Meanwhile the thread puts
 * records without waiting for any other thread, so it may do so in a signal handler. Returns false
 * if another thread is putting a record at the moment. */
bool dictionary_try_hold(struct dictionary *dictionary);
void dictionary_release(struct dictionary *dictionary);

int dictionary_put_process(struct dictionary *dictionary, pid_t pid, pid_t parent,
                           uint64_t start_ns, const char *executable, const char *command_line,
                           size_t command_line_bytes);
int dictionary_put_thread(struct dictionary *dictionary, uint32_t index, pid_t tid, bool is_main,
                          uint64_t start_ns, const char *name);
int dictionary_put_thread_name(struct dictionary *dictionary, uint32_t index, uint64_t time_ns,
                               const char *name);
/* Must be called once for each successful dictionary_put_thread(), which reserves the room for this
 * record. So if a thread's start is known, its end is, too. */
int dictionary_put_thread_end(struct dictionary *dictionary, uint32_t index, uint64_t time_ns);
int dictionary_put_library(struct dictionary *dictionary, const struct dictionary_library *library);
int dictionary_put_library_end(struct dictionary *dictionary, uint64_t time_ns, uint64_t start);
int dictionary_put_site(struct dictionary *dictionary, const struct dictionary_site *site);
int dictionary_put_marker_type(struct dictionary *dictionary, uint32_t id, const uint8_t *schema,
                               size_t schema_bytes);
int dictionary_put_site_type(struct dictionary *dictionary, uint32_t site, uint32_t marker_type);
int dictionary_put_site_frame(struct dictionary *dictionary, uint32_t site, uint32_t column);
int dictionary_put_category(struct dictionary *dictionary, uint32_t id, const char *colour,
                            const char *name);
int dictionary_put_subcategory(struct dictionary *dictionary, uint32_t id, uint32_t category,
                               const char *name);
int dictionary_put_pause(struct dictionary *dictionary, uint64_t time_ns);
int dictionary_put_resume(struct dictionary *dictionary, uint64_t time_ns);
int dictionary_put_sampling_pause(struct dictionary *dictionary, uint64_t time_ns);
int dictionary_put_sampling_resume(struct dictionary *dictionary, uint64_t time_ns);
int dictionary_put_process_name(struct dictionary *dictionary, uint64_t time_ns, const char *name);
int dictionary_put_user(struct dictionary *dictionary, uid_t user);
int dictionary_put_log(struct dictionary *dictionary, uint64_t time_ns, const char *text);
int dictionary_put_counter(struct dictionary *dictionary, uint32_t index, const char *name,
                           const char *category, const char *description);

#endif
