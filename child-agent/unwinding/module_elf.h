/* What an ELF image in memory says about itself: its extent, its build id, and where its unwind
 * tables are.
 *
 * It is read with process_memory_read(), so the image may disappear meanwhile or contain anything.
 * Any thread. */
#ifndef PROFD_AGENT_MODULE_ELF_H
#define PROFD_AGENT_MODULE_ELF_H

#include <stddef.h>
#include <stdint.h>

struct elf_image {
    uint64_t start, end; /* of all its segments */
    uint64_t load_bias;  /* address = bias + p_vaddr */
    uint8_t build_id[64];
    size_t build_id_bytes; /* 0: none */
    uint64_t eh_frame_header_address;
    size_t eh_frame_header_bytes; /* 0: no unwind tables */
    uint64_t eh_frame_address;
    size_t eh_frame_bytes; /* up to the end of its segment, since its own size is not stored */
};

/* Reads the image whose ELF header is at HEADER_ADDRESS. Returns 0; -ENOEXEC if there is no ELF
 * header of this machine; -EINVAL if it makes no sense; or an error of process_memory_read(). */
int elf_image_read(uint64_t header_address, struct elf_image *out);

/* Finds the load bias of a part of that image's file that is mapped once more at ADDRESS, from
 * OFFSET in the file. Errors as elf_image_read(); also -EINVAL if no segment contains the
 * offset. */
int elf_image_bias_of_copy(uint64_t header_address, uint64_t address, uint64_t offset,
                           uint64_t *load_bias);

#endif
