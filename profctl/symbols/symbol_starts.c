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
    /* In a description, as all compilers write it: length, place of what several have in common,
     * start counted from where that stands, size; four bytes each. */
    DESCRIPTION_START = 8,
    DESCRIPTION_SIZE = 12,
    DESCRIPTION_BYTES = 16,
};

enum { RANK_OF_STARTS = 1 << 7 }; /* below all symbols */

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

/* The descriptions, and where they are. */
struct descriptions {
    const uint8_t *bytes; /* NULL: none */
    size_t size;
    uint64_t address;
};

static struct descriptions find_descriptions(Elf *elf)
{
    GElf_Shdr header;
    Elf_Scn *section = find_section(elf, ".eh_frame", &header);
    Elf_Data *data = section != NULL ? elf_getdata(section, NULL) : NULL;

    if (data == NULL || data->d_buf == NULL)
        return (struct descriptions){ 0 };
    return (struct descriptions){ data->d_buf, data->d_size, header.sh_addr };
}

/* The size of the function at START, whose description is at ADDRESS; 0: it is written in another
 * way. Between functions that are described there may be others that are not. */
static uint32_t described_size(const struct descriptions *all, uint64_t address, uint64_t start)
{
    int32_t distance;
    uint32_t size;

    if (all->bytes == NULL || all->size < DESCRIPTION_BYTES || address < all->address ||
        address - all->address > all->size - DESCRIPTION_BYTES)
        return 0;
    const uint8_t *description = all->bytes + (address - all->address);
    memcpy(&distance, description + DESCRIPTION_START, sizeof(distance));
    memcpy(&size, description + DESCRIPTION_SIZE, sizeof(size));
    return address + DESCRIPTION_START + (uint64_t)(int64_t)distance == start ? size : 0;
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

/* The function that ENTRY of the table at TABLE_ADDRESS is about; without a size it ends where it
 * starts. */
static struct symbol read_entry(const uint8_t *entry, uint64_t table_address,
                                const struct descriptions *descriptions)
{
    struct symbol symbol = { .rank = RANK_OF_STARTS };
    int32_t distances[2];

    memcpy(distances, entry, sizeof(distances));
    symbol.start = table_address + (uint64_t)(int64_t)distances[0];
    uint32_t size =
        described_size(descriptions, table_address + (uint64_t)(int64_t)distances[1], symbol.start);
    symbol.end = symbol.start + size;
    return symbol;
}

int symbol_starts_read(struct symbol_table *table, Elf *elf)
{
    GElf_Shdr header;
    Elf_Scn *section = find_section(elf, ".eh_frame_hdr", &header);
    Elf_Data *data = section != NULL ? elf_getdata(section, NULL) : NULL;
    uint32_t count = data != NULL && data->d_buf != NULL ? entry_count(data) : 0;
    const struct descriptions descriptions = find_descriptions(elf);
    uint64_t section_end = 0; /* the table is sorted: usually still the same section */

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry =
            (const uint8_t *)data->d_buf + HEADER_BYTES + (size_t)i * ENTRY_BYTES;
        struct symbol symbol = read_entry(entry, header.sh_addr, &descriptions);

        if (symbol.start >= section_end)
            section_end = code_end(elf, symbol.start);
        if (section_end == 0)
            continue;
        if (symbol.end == symbol.start || symbol.end > section_end) {
            symbol.end = section_end;
            symbol.rank |= SYMBOL_RANK_WITHOUT_SIZE; /* it ends where the next one begins */
        }
        int error = symbol_table_add(table, &symbol);
        if (error < 0)
            return error;
    }
    return 0;
}
