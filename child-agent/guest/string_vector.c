#include "child-agent/guest/string_vector.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "child-agent/guest/memory_probe_x86_64.h"

enum { PAGE_BYTES = 4096 };

static size_t bytes_to_page_end(uint64_t address)
{
    return PAGE_BYTES - address % PAGE_BYTES;
}

/* Strings of a vector share pages: *PAGE is the one that was probed last, or 0. */
static bool reads_page(uint64_t address, uint64_t *page)
{
    const uint64_t start = address - address % PAGE_BYTES;

    if (start == *page && start != 0)
        return true;
    if (!memory_probe_reads(address, 1))
        return false;
    *page = start;
    return true;
}

static bool reads_string(const char *string, uint64_t *page)
{
    for (;;) {
        const uint64_t address = (uint64_t)(uintptr_t)string;
        const size_t bytes = bytes_to_page_end(address);
        if (!reads_page(address, page))
            return false;
        if (memchr(string, '\0', bytes) != NULL)
            return true;
        string += bytes;
    }
}

static bool reads_pointer(char *const *pointer, uint64_t *page)
{
    const uint64_t first = (uint64_t)(uintptr_t)pointer;

    return reads_page(first, page) && reads_page(first + sizeof(*pointer) - 1, page);
}

bool string_vector_is_readable(char *const *vector)
{
    uint64_t page_of_pointers = 0, page_of_strings = 0;

    for (; vector != NULL; vector++) {
        if (!reads_pointer(vector, &page_of_pointers))
            return false;
        const char *string;
        memcpy(&string, vector, sizeof(string)); /* the kernel asks for no alignment either */
        if (string == NULL)
            return true;
        if (!reads_string(string, &page_of_strings))
            return false;
    }
    return true;
}
