#include "profctl/convert/call_function.h"

#include <string.h>

#include "profctl/profile/frame_name.h"

/* What V8 gives as the source of its runtime's functions. */
static const char runtime_source[] = "native V8Runtime";

size_t call_function_length(const char *name, size_t length)
{
    struct frame_name_parts parts;

    frame_name_split(name, length, &parts);
    return parts.length_to_line;
}

bool call_function_is_of_runtime(const char *name, size_t length)
{
    struct frame_name_parts parts;

    frame_name_split(name, length, &parts);
    return parts.source != NULL && parts.source_length == strlen(runtime_source) &&
           memcmp(parts.source, runtime_source, parts.source_length) == 0;
}
