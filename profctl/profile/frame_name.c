#include "profctl/profile/frame_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What profctl calls an address that was in no library. */
static const char unmapped[] = "unmapped 0x";
/* Its addresses are others in each run, so they count as one. */
static const char generated_code[] = "generated code (in no library)";

const char *frame_name(const struct thread_tables *tables,
                       const struct process_libraries *libraries, uint32_t location,
                       char out[FRAME_NAME_BYTES], size_t *length)
{
    const struct process_library *library;
    uint64_t address;
    const char *name = thread_tables_string(tables, location, length);

    if (*length > strlen(unmapped) && memcmp(name, unmapped, strlen(unmapped)) == 0) {
        *length = strlen(generated_code);
        return generated_code;
    }
    if (!thread_tables_address(tables, location, &address) ||
        (library = process_libraries_find(libraries, address)) == NULL)
        return name;
    int written = snprintf(out, FRAME_NAME_BYTES, "0x%" PRIx64 " (in %s)",
                           address - library->load_bias, library->name);
    *length = written < FRAME_NAME_BYTES ? (size_t)written : FRAME_NAME_BYTES - 1;
    return out;
}
