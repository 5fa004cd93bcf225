#include "child-agent/unwinding/module_elf.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "child-agent/guest/process_memory.h"
#include "child-agent/unwinding/call_frame_info.h"

enum {
    MAX_SEGMENTS = 64,
    MAX_NOTE_BYTES = 4096,
    PAGE_BYTES = 4096,
    MIN_HEADER_BYTES = 4 + 4, /* of .eh_frame_hdr */
    MAX_HEADER_HEAD_BYTES = 4 + 8,
};

static const uint64_t ADDRESS_LIMIT = (uint64_t)1 << 47;

struct segments {
    Elf64_Phdr at[MAX_SEGMENTS];
    size_t count;
};

static int read_segments(uint64_t header_address, struct segments *out)
{
    Elf64_Ehdr header;
    int error = process_memory_read(header_address, &header, sizeof(header));
    if (error != 0)
        return error;
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_machine != EM_X86_64 || header.e_phentsize != sizeof(Elf64_Phdr) ||
        (header.e_type != ET_EXEC && header.e_type != ET_DYN))
        return -ENOEXEC;
    if (header.e_phnum == 0 || header.e_phnum > MAX_SEGMENTS || header.e_phoff > ADDRESS_LIMIT)
        return -EINVAL;
    out->count = header.e_phnum;
    return process_memory_read(header_address + header.e_phoff, out->at,
                               out->count * sizeof(out->at[0]));
}

static bool is_sane(const Elf64_Phdr *segment)
{
    return segment->p_vaddr < ADDRESS_LIMIT && segment->p_memsz < ADDRESS_LIMIT &&
           segment->p_filesz <= segment->p_memsz;
}

static int find_extent(const struct segments *segments, uint64_t header_address,
                       struct elf_image *image)
{
    uint64_t low = UINT64_MAX, high = 0;
    bool has_header = false;
    for (size_t i = 0; i < segments->count; i++) {
        const Elf64_Phdr *segment = &segments->at[i];
        if (segment->p_type != PT_LOAD)
            continue;
        if (!is_sane(segment))
            return -EINVAL;
        if (segment->p_offset < PAGE_BYTES && !has_header) {
            image->load_bias = header_address + segment->p_offset - segment->p_vaddr;
            has_header = true;
        }
        if (segment->p_vaddr < low)
            low = segment->p_vaddr & ~(uint64_t)(PAGE_BYTES - 1);
        if (segment->p_vaddr + segment->p_memsz > high)
            high = segment->p_vaddr + segment->p_memsz;
    }
    if (!has_header || high <= low)
        return -EINVAL;
    image->start = image->load_bias + low;
    image->end = image->load_bias + high;
    return image->start < image->end && image->end < ADDRESS_LIMIT ? 0 : -EINVAL;
}

static void find_build_id(const Elf64_Phdr *segment, struct elf_image *image)
{
    uint8_t notes[MAX_NOTE_BYTES];
    size_t bytes = segment->p_memsz < sizeof(notes) ? (size_t)segment->p_memsz : sizeof(notes);
    if (process_memory_read(image->load_bias + segment->p_vaddr, notes, bytes) != 0)
        return;
    for (size_t offset = 0; bytes - offset >= sizeof(Elf64_Nhdr);) {
        Elf64_Nhdr note;
        memcpy(&note, notes + offset, sizeof(note));
        offset += sizeof(note);
        uint64_t name_bytes = ((uint64_t)note.n_namesz + 3) & ~(uint64_t)3;
        uint64_t value_bytes = ((uint64_t)note.n_descsz + 3) & ~(uint64_t)3;
        if (name_bytes + value_bytes > bytes - offset)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(notes + offset, "GNU", 4) == 0 && note.n_descsz <= sizeof(image->build_id)) {
            memcpy(image->build_id, notes + offset + name_bytes, note.n_descsz);
            image->build_id_bytes = note.n_descsz;
            return;
        }
        offset += (size_t)(name_bytes + value_bytes);
    }
}

/* The bytes from ADDRESS to the end of the segment's part that comes from the file; 0: in none. */
static size_t bytes_in_segment(const struct segments *segments, const struct elf_image *image,
                               uint64_t address)
{
    for (size_t i = 0; i < segments->count; i++) {
        const Elf64_Phdr *segment = &segments->at[i];
        uint64_t offset = address - (image->load_bias + segment->p_vaddr);
        if (segment->p_type == PT_LOAD && offset < segment->p_filesz)
            return (size_t)(segment->p_filesz - offset);
    }
    return 0;
}

/* Leaves the sizes 0 when anything is odd: the module then has no tables. */
static void find_tables(const struct segments *segments, const Elf64_Phdr *segment,
                        struct elf_image *image)
{
    uint8_t head[MAX_HEADER_HEAD_BYTES] = { 0 };
    uint64_t address = image->load_bias + segment->p_vaddr;
    size_t bytes = (size_t)segment->p_memsz;
    if (bytes < MIN_HEADER_BYTES || bytes > bytes_in_segment(segments, image, address) ||
        process_memory_read(address, head, bytes < sizeof(head) ? bytes : sizeof(head)) != 0 ||
        frame_header_locate(head, sizeof(head), address, &image->eh_frame_address) != 0)
        return;
    image->eh_frame_bytes = bytes_in_segment(segments, image, image->eh_frame_address);
    if (image->eh_frame_bytes == 0)
        return;
    image->eh_frame_header_address = address;
    image->eh_frame_header_bytes = bytes;
}

int elf_image_bias_of_copy(uint64_t header_address, uint64_t address, uint64_t offset,
                           uint64_t *load_bias)
{
    struct segments segments;
    int error = read_segments(header_address, &segments);
    if (error != 0)
        return error;
    for (size_t i = 0; i < segments.count; i++) {
        const Elf64_Phdr *segment = &segments.at[i];
        uint64_t in_page = segment->p_offset & (PAGE_BYTES - 1);
        uint64_t first = segment->p_offset - in_page;
        if (segment->p_type != PT_LOAD || !is_sane(segment) || offset < first ||
            offset - first >= segment->p_filesz + in_page)
            continue;
        *load_bias = address - (segment->p_vaddr - in_page + (offset - first));
        return 0;
    }
    return -EINVAL;
}

int elf_image_read(uint64_t header_address, struct elf_image *out)
{
    struct segments segments;
    int error = read_segments(header_address, &segments);
    if (error != 0)
        return error;
    memset(out, 0, sizeof(*out));
    error = find_extent(&segments, header_address, out);
    if (error != 0)
        return error;
    for (size_t i = 0; i < segments.count; i++) {
        const Elf64_Phdr *segment = &segments.at[i];
        if (!is_sane(segment))
            continue;
        if (segment->p_type == PT_NOTE && out->build_id_bytes == 0)
            find_build_id(segment, out);
        else if (segment->p_type == PT_GNU_EH_FRAME)
            find_tables(&segments, segment, out);
    }
    return 0;
}
