#include "profctl/symbols/symbol_plt.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    STUB_BYTES = 16,
    RANK_OF_STUBS = 1 << 6, /* below all names that the file itself gives */
};

struct plt_sections {
    Elf_Scn *relocations; /* .rela.plt */
    GElf_Shdr relocations_header;
    Elf_Scn *stubs; /* .plt.sec when there is one, else .plt */
    GElf_Shdr stubs_header;
};

static void note_section(struct plt_sections *sections, Elf_Scn *section, const GElf_Shdr *header,
                         const char *name)
{
    if (strcmp(name, ".rela.plt") == 0 && header->sh_type == SHT_RELA) {
        sections->relocations = section;
        sections->relocations_header = *header;
    } else if (strcmp(name, ".plt.sec") == 0 ||
               (strcmp(name, ".plt") == 0 && sections->stubs == NULL)) {
        sections->stubs = section;
        sections->stubs_header = *header;
    }
}

static bool find_sections(Elf *elf, struct plt_sections *sections)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        const char *name;

        if (gelf_getshdr(section, &header) == NULL)
            continue;
        name = elf_strptr(elf, names, header.sh_name);
        if (name != NULL)
            note_section(sections, section, &header, name);
    }
    return sections->relocations != NULL && sections->stubs != NULL;
}

/* What the stubs' relocations refer to. */
struct plt_relocations {
    Elf *elf;
    Elf_Data *relocations, *symbols;
    size_t names; /* the section of the symbols' names */
    size_t named; /* how many symbols TABLE had before: those that stubs can jump to */
};

/* The name of the function that relocation INDEX leads to; NULL when nobody knows. A function that
 * is chosen at load time (memcpy and the like) has no symbol here but the address of its chooser.
 */
static const char *relocated_name(const struct plt_relocations *plt, int index,
                                  const struct symbol_table *table)
{
    const struct symbol_table named = { .symbols = table->symbols, .count = plt->named };
    const struct symbol *chooser;
    GElf_Rela relocation;
    GElf_Sym symbol;

    if (gelf_getrela(plt->relocations, index, &relocation) == NULL)
        return NULL;
    if (GELF_R_TYPE(relocation.r_info) == R_X86_64_IRELATIVE) {
        chooser = symbol_table_find(&named, (uint64_t)relocation.r_addend);
        return chooser != NULL ? chooser->name : NULL;
    }
    if (GELF_R_SYM(relocation.r_info) == 0 ||
        gelf_getsym(plt->symbols, (int)GELF_R_SYM(relocation.r_info), &symbol) == NULL)
        return NULL;
    return elf_strptr(plt->elf, plt->names, symbol.st_name);
}

static bool open_relocations(Elf *elf, const struct plt_sections *sections,
                             struct plt_relocations *plt)
{
    Elf_Scn *symbols = elf_getscn(elf, sections->relocations_header.sh_link);
    GElf_Shdr header;

    plt->elf = elf;
    plt->relocations = elf_getdata(sections->relocations, NULL);
    if (plt->relocations == NULL || symbols == NULL || gelf_getshdr(symbols, &header) == NULL)
        return false;
    plt->symbols = elf_getdata(symbols, NULL);
    plt->names = header.sh_link;
    return plt->symbols != NULL;
}

/* A slot of the global offset table, and the function whose address it will hold. */
struct slot {
    uint64_t address;
    const char *name;
};

static int compare_slots(const void *left, const void *right)
{
    const struct slot *a = left, *b = right;

    return (a->address > b->address) - (a->address < b->address);
}

/* The slots that the relocations fill, sorted; NULL: no memory. */
static struct slot *read_slots(const struct plt_relocations *plt, const struct symbol_table *table,
                               size_t count)
{
    struct slot *slots = calloc(count + 1, sizeof(*slots));

    for (size_t i = 0; slots != NULL && i < count; i++) {
        GElf_Rela relocation;

        if (gelf_getrela(plt->relocations, (int)i, &relocation) == NULL)
            continue;
        slots[i].address = relocation.r_offset;
        slots[i].name = relocated_name(plt, (int)i, table);
    }
    if (slots != NULL)
        qsort(slots, count, sizeof(*slots), compare_slots);
    return slots;
}

/* The slot through which the stub with these BYTES at ADDRESS jumps (jmp *DISTANCE(%rip), maybe
 * behind endbr64 or a bnd prefix); 0: it is no such stub. */
static uint64_t slot_of_stub(const uint8_t bytes[STUB_BYTES], uint64_t address)
{
    for (unsigned at = 0; at + 6 <= STUB_BYTES; at++) {
        int32_t distance;

        if (bytes[at] != 0xff || bytes[at + 1] != 0x25)
            continue;
        memcpy(&distance, bytes + at + 2, sizeof(distance));
        return address + at + 6 + (uint64_t)(int64_t)distance;
    }
    return 0;
}

static int add_stubs(struct symbol_table *table, const struct plt_sections *sections,
                     const struct slot *slots, size_t slot_count)
{
    Elf_Data *data = elf_getdata(sections->stubs, NULL);
    uint64_t start = sections->stubs_header.sh_addr;

    for (size_t at = 0; data != NULL && at + STUB_BYTES <= data->d_size; at += STUB_BYTES) {
        struct slot wanted = { slot_of_stub((const uint8_t *)data->d_buf + at, start + at), NULL };
        struct symbol stub = { .start = start + at,
                               .end = start + at + STUB_BYTES,
                               .is_plt = true };
        const struct slot *slot =
            bsearch(&wanted, slots, slot_count, sizeof(*slots), compare_slots);
        int error = 0;

        stub.rank = RANK_OF_STUBS;
        stub.name = slot != NULL ? slot->name : NULL;
        if (stub.name != NULL && stub.name[0] != '\0')
            error = symbol_table_add(table, &stub);
        if (error < 0)
            return error;
    }
    return 0;
}

int symbol_plt_read(struct symbol_table *table, Elf *elf)
{
    struct plt_relocations plt = { .named = table->count };
    struct plt_sections sections = { 0 };
    struct slot *slots;
    GElf_Ehdr header;
    size_t count;
    int error;

    if (gelf_getehdr(elf, &header) == NULL || header.e_machine != EM_X86_64 ||
        !find_sections(elf, &sections) || !open_relocations(elf, &sections, &plt))
        return 0;
    count = plt.relocations->d_size / sizeof(Elf64_Rela);
    slots = read_slots(&plt, table, count);
    if (slots == NULL)
        return -ENOMEM;
    error = add_stubs(table, &sections, slots, count);
    free(slots);
    return error;
}
