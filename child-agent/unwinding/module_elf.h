/* What an ELF image in memory says of itself: extent, build id, where its unwind tables are.
 *
 * Read through process_memory_read(), so the image may vanish meanwhile or be anything. Any thread.
 */
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
    size_t eh_frame_bytes; /* to the end of its segment: its own size isn't told */
};

/* -ENOEXEC: no ELF header of this machine at that address; -EINVAL: nonsense in it; else as
 * process_memory_read(). */
int elf_image_read(uint64_t header_address, struct elf_image *out);

/* The load bias of a part of that image's file which is mapped again at ADDRESS, from OFFSET in the
 * file on. As above; -EINVAL when no segment has the offset. */
int elf_image_bias_of_copy(uint64_t header_address, uint64_t address, uint64_t offset,
                           uint64_t *load_bias);

#endif
