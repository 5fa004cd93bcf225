/* The symbolication API that profilers ask, as Mozilla's symbol server (Tecken) and samply speak
 * it: names, files, lines and inlined functions of addresses, the source code that they are in, and
 * the machine code of functions.
 *
 * Requests and answers are JSON texts; requests come from outside. Addresses are offsets in a
 * library, which is known by the name and id of its debug information. One thread. */
#ifndef PROFD_PROFCTL_SYMBOL_API_H
#define PROFD_PROFCTL_SYMBOL_API_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/view/library_list.h"

/* The answer to REQUEST, which was sent to PATH ("/symbolicate/v5", "/source/v1", "/asm/v1"), for
 * free() in *OUT. What is asked for and not there is an answer as well: { "error": … }. Returns 0,
 * -ENOENT for another path, -EINVAL for a request that is none, or -ENOMEM. */
int symbol_api_answer(struct library_list *libraries, const char *path, const char *request,
                      char **out);

/* Each fills ANSWER, an empty object. The same errors. */
int symbol_api_symbolicate(struct library_list *libraries, const cJSON *request, cJSON *answer);
int symbol_api_source(struct library_list *libraries, const cJSON *request, cJSON *answer);
int symbol_api_assembly(struct library_list *libraries, const cJSON *request, cJSON *answer);

/* --- Shared by these --- */

/* The text of a member; NULL: it has none. */
const char *symbol_api_text(const cJSON *object, const char *member);

/* An address as the API has them, "0x…", alone in the text. Returns 0 or -EINVAL. */
int symbol_api_address(const cJSON *object, const char *member, uint64_t *address);

/* Tells in ANSWER why there is none. Returns 0 or -ENOMEM. */
int symbol_api_refuse(cJSON *answer, const char *reason);

/* The library that a request names by "debugName" and "debugId": 0 with NULL in *OUT, and ANSWER
 * filled, when the profile has none. */
int symbol_api_library(struct library_list *libraries, const cJSON *request, cJSON *answer,
                       struct symbol_library **out);

/* The function of LOCATION, without its library; a view, and its length. */
const char *symbol_api_function(const struct symbol_library *library, uint32_t location,
                                size_t *length);

/* Adds members, of a text that is not terminated, and of an address as "0x…". Returns 0 or
 * -ENOMEM. */
int symbol_api_add_text(cJSON *object, const char *member, const char *text, size_t length);
int symbol_api_add_address(cJSON *object, const char *member, uint64_t address);

#endif
