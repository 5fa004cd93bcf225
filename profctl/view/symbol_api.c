#include "profctl/view/symbol_api.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/profile/frame_name.h"

enum { ADDRESS_DIGITS = 16, ADDRESS_TEXT_BYTES = 2 + ADDRESS_DIGITS + 1 };

typedef int answering(struct library_list *libraries, const cJSON *request, cJSON *answer);

static answering *find_answer_function(const char *path)
{
    static const struct {
        const char *path;
        answering *answer;
    } all[] = {
        { "/symbolicate/v5", symbol_api_symbolicate },
        { "/source/v1", symbol_api_source },
        { "/asm/v1", symbol_api_assembly },
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (strcmp(path, all[i].path) == 0)
            return all[i].answer;
    }
    return NULL;
}

int symbol_api_answer(struct library_list *libraries, const char *path, const char *request,
                      char **out)
{
    answering *answers = find_answer_function(path);
    cJSON *asked = NULL, *answer = NULL;
    int error = answers != NULL ? 0 : -ENOENT;

    if (error == 0) {
        asked = cJSON_Parse(request);
        answer = cJSON_CreateObject();
        error = !cJSON_IsObject(asked) ? -EINVAL : answer == NULL ? -ENOMEM : 0;
    }
    if (error == 0)
        error = answers(libraries, asked, answer);
    if (error == 0) {
        *out = cJSON_PrintUnformatted(answer);
        error = *out != NULL ? 0 : -ENOMEM;
    }
    cJSON_Delete(asked);
    cJSON_Delete(answer);
    return error;
}

const char *symbol_api_text(const cJSON *object, const char *member)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, member));
}

int symbol_api_address(const cJSON *object, const char *member, uint64_t *address)
{
    const char *text = symbol_api_text(object, member);

    if (text == NULL || strncmp(text, "0x", 2) != 0)
        return -EINVAL;
    size_t digits = strspn(text + 2, "0123456789abcdefABCDEF");
    if (digits == 0 || digits > ADDRESS_DIGITS || text[2 + digits] != '\0')
        return -EINVAL;
    *address = strtoull(text + 2, NULL, 16);
    return 0;
}

int symbol_api_refuse(cJSON *answer, const char *reason)
{
    return cJSON_AddStringToObject(answer, "error", reason) != NULL ? 0 : -ENOMEM;
}

int symbol_api_library(struct library_list *libraries, const cJSON *request, cJSON *answer,
                       struct symbol_library **out)
{
    const char *name = symbol_api_text(request, "debugName");
    const char *id = symbol_api_text(request, "debugId");
    int error;

    *out = NULL;
    if (name == NULL || id == NULL)
        return -EINVAL;
    *out = library_list_find(libraries, name, id, &error);
    if (error < 0 || *out != NULL)
        return error;
    return symbol_api_refuse(answer, "the profile has no such library");
}

const char *symbol_api_function(const struct symbol_library *library, uint32_t location,
                                size_t *length)
{
    struct frame_name_parts parts;
    const char *text = symbol_library_location(library, location, length);

    frame_name_split(text, *length, &parts);
    *length = parts.function_length;
    return text;
}

int symbol_api_add_text(cJSON *object, const char *member, const char *text, size_t length)
{
    char *copy = strndup(text, length);
    int error = copy != NULL && cJSON_AddStringToObject(object, member, copy) != NULL ? 0 : -ENOMEM;

    free(copy);
    return error;
}

int symbol_api_add_address(cJSON *object, const char *member, uint64_t address)
{
    char text[ADDRESS_TEXT_BYTES];

    snprintf(text, sizeof(text), "0x%" PRIx64, address);
    return cJSON_AddStringToObject(object, member, text) != NULL ? 0 : -ENOMEM;
}
