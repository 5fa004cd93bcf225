/* The dictionary of a request of OTLP's profiles (otlp.proto): what all of its messages refer to by
 * numbers. It is packed as it grows. One thread. */
#ifndef PROFD_PROFCTL_OTLP_DICTIONARY_H
#define PROFD_PROFCTL_OTLP_DICTIONARY_H

#include <stdint.h>

#include "json/failure_latch.h"
#include "json/unique_strings.h"
#include "profctl/export/export_rows.h"
#include "profctl/push/push_source.h"
#include "profctl/push/stack_path.h"

/* Initialised by otlp_dictionary_init(). */
struct otlp_dictionary {
    struct failure_latch latch;
    struct unique_strings strings;
    struct unique_strings keys, functions, libraries; /* of frames: locations, what they show, and
                                                       * mappings */
    struct unique_strings stacks, attributes;         /* paths, as bytes; keys and values */
    struct stack_path path;                           /* of the current stack */
    struct mapped_array packed;                       /* char */
};

/* Returns 0 or -ENOMEM. */
int otlp_dictionary_init(struct otlp_dictionary *dictionary);
void otlp_dictionary_fini(struct otlp_dictionary *dictionary);

/* Forgets all, for the next request. Returns 0 or -ENOMEM. */
int otlp_dictionary_begin(struct otlp_dictionary *dictionary);

/* The number of the string WORD; of the attribute that tells a thread's name. What finds no memory
 * is latched. */
int32_t otlp_dictionary_word(struct otlp_dictionary *dictionary, const char *word);
int32_t otlp_dictionary_thread(struct otlp_dictionary *dictionary, const struct push_text *thread);

/* The number of STACK of ROWS in *OUT; that of one without frames is 0. 0, or the error of
 * stack_path_read(). */
int otlp_dictionary_stack(struct otlp_dictionary *dictionary, const struct export_rows *rows,
                          uint32_t stack, int32_t *out);

#endif
