/* A module: a library, the executable or the vdso, with its address range and unwind tables. */
#ifndef PROFD_AGENT_MODULE_H
#define PROFD_AGENT_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module {
    uint64_t start, end; /* the range of all its mappings */
    uint64_t load_bias;  /* address = bias + p_vaddr */
    char *path;          /* never freed (module_paths.h) */
    uint8_t build_id[64];
    size_t build_id_bytes;
    /* PT_GNU_EH_FRAME and .eh_frame, readable at these addresses in the agent's memory; NULL if
     * there are none. */
    const uint8_t *eh_frame_header;
    size_t eh_frame_header_bytes;
    uint64_t eh_frame_header_address; /* where the header is (or was) in the program */
    const uint8_t *eh_frame;
    size_t eh_frame_bytes;
    uint64_t eh_frame_address;
};

static inline bool module_contains(const struct module *module, uint64_t address)
{
    return address >= module->start && address < module->end;
}

#endif
