/* /asm/v1: the instructions of a part of a library. */
#include <errno.h>
#include <stdlib.h>

#include "profctl/view/disassembly.h"
#include "profctl/view/symbol_api.h"

enum { MAX_CODE_BYTES = 256 * 1024 };

static int add_instruction(void *owner, uint64_t offset, const char *text)
{
    cJSON *row = cJSON_CreateArray();

    if (row == NULL || !cJSON_AddItemToArray(owner, row))
        return -ENOMEM;
    cJSON *number = cJSON_CreateNumber((double)offset), *words = cJSON_CreateString(text);
    if (number != NULL && words != NULL && cJSON_AddItemToArray(row, number) &&
        cJSON_AddItemToArray(row, words))
        return 0;
    cJSON_Delete(number);
    cJSON_Delete(words);
    return -ENOMEM;
}

static int answer_code(const uint8_t *code, size_t count, uint64_t start, cJSON *answer)
{
    cJSON *instructions = cJSON_AddArrayToObject(answer, "instructions");

    if (instructions == NULL || cJSON_AddStringToObject(answer, "arch", DISASSEMBLY_ARCH) == NULL)
        return -ENOMEM;
    int error = symbol_api_add_address(answer, "startAddress", start);
    if (error == 0)
        error = symbol_api_add_address(answer, "size", count);
    return error == 0 ? disassemble(code, count, start, add_instruction, instructions) : error;
}

/* Where the part ends that is asked for: with "continueUntilFunctionEnd" not before its function.
 */
static int find_end(struct symbol_library *library, const cJSON *request, uint64_t start,
                    uint64_t *end)
{
    struct symbol_frames frames;
    uint64_t size;

    if (symbol_api_address(request, "size", &size) < 0 || size > MAX_CODE_BYTES)
        return -EINVAL;
    *end = start + size;
    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(request, "continueUntilFunctionEnd")))
        return 0;
    int error = symbol_library_resolve(library, start, &frames);
    if (error == 0 && frames.end > *end && frames.end - start <= MAX_CODE_BYTES)
        *end = frames.end;
    return error;
}

int symbol_api_assembly(struct library_list *libraries, const cJSON *request, cJSON *answer)
{
    struct symbol_library *library;
    uint64_t start, end;
    size_t count;

    if (symbol_api_address(request, "startAddress", &start) < 0)
        return -EINVAL;
    int error = symbol_api_library(libraries, request, answer, &library);
    if (error < 0 || library == NULL)
        return error;
    error = find_end(library, request, start, &end);
    if (error < 0)
        return error;
    uint8_t *code = malloc(end - start + 1);
    if (code == NULL)
        return -ENOMEM;
    error = symbol_library_code(library, start, code, end - start, &count);
    if (error == 0)
        error = answer_code(code, count, start, answer);
    else if (error == -ENOENT)
        error = symbol_api_refuse(answer, "the library's file is not here, or has no code there");
    free(code);
    return error;
}
