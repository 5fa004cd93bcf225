#include "profctl/symbols/symbol_starts.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

enum {
    VERSION = 1,
    /* The encodings that all linkers use: counts as they are, addresses from the table's start. */
    COUNT_ENCODING = DW_EH_PE_udata4,
    TABLE_ENCODING = DW_EH_PE_datarel | DW_EH_PE_sdata4,
    HEADER_BYTES = 12, /* version, three encodings, .eh_frame's place, count */
    ENTRY_BYTES = 8,   /* a function's start and its description's place */
};

/* Below all symbols, and ending where the next one begins. */
static const uint8_t rank_of_starts = SYMBOL_RANK_WITHOUT_SIZE | 1 << 7;

static Elf_Scn *find_section(Elf *elf, const char *wanted, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        const char *name = NULL;

        if (gelf_getshdr(section, header) != NULL)
            name = elf_strptr(elf, names, header->sh_name);
        if (name != NULL && strcmp(name, wanted) == 0)
            return section;
    }
    return NULL;
}

/* The end of the code section that ADDRESS is in, or 0. */
static uint64_t code_end(Elf *elf, uint64_t address)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, &header) != NULL && (header.sh_flags & SHF_EXECINSTR) != 0 &&
            address >= header.sh_addr && address - header.sh_addr < header.sh_size)
            return header.sh_addr + header.sh_size;
    return 0;
}

static uint32_t entry_count(const Elf_Data *data)
{
    const uint8_t *bytes = data->d_buf;
    uint32_t count;

    if (data->d_size < HEADER_BYTES || bytes[0] != VERSION || bytes[2] != COUNT_ENCODING ||
        bytes[3] != TABLE_ENCODING)
        return 0;
    memcpy(&count, bytes + 8, sizeof(count));
    return count <= (data->d_size - HEADER_BYTES) / ENTRY_BYTES ? count : 0;
}

int symbol_starts_read(struct symbol_table *table, Elf *elf)
{
    GElf_Shdr header;
    Elf_Scn *section = find_section(elf, ".eh_frame_hdr", &header);
    Elf_Data *data = section != NULL ? elf_getdata(section, NULL) : NULL;
    uint32_t count = data != NULL && data->d_buf != NULL ? entry_count(data) : 0;
    struct symbol symbol = { .name = NULL, .rank = rank_of_starts };

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry =
            (const uint8_t *)data->d_buf + HEADER_BYTES + (size_t)i * ENTRY_BYTES;
        int32_t distance;
        int err;

        memcpy(&distance, entry, sizeof(distance));
        symbol.start = header.sh_addr + (uint64_t)(int64_t)distance;
        if (symbol.start >= symbol.end) /* the table is sorted: usually still the same section */
            symbol.end = code_end(elf, symbol.start);
        if (symbol.end == 0)
            continue;
        err = symbol_table_add(table, &symbol);
        if (err < 0)
            return err;
    }
    return 0;
}
