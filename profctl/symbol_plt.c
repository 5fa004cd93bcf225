#include "profctl/symbol_plt.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

enum {
    STUB_BYTES = 16,
    RANK_OF_STUBS = 1 << 6, /* below all names that the file itself gives */
};

struct plt_sections {
    Elf_Scn *relocations; /* .rela.plt */
    GElf_Shdr relocations_header;
    GElf_Shdr stubs; /* .plt.sec when there is one, else .plt */
    bool has_stubs;
    bool starts_with_resolver; /* .plt's first entry is not a function's */
};

static void note_section(struct plt_sections *sections, Elf_Scn *section, const GElf_Shdr *header,
                         const char *name)
{
    if (strcmp(name, ".rela.plt") == 0 && header->sh_type == SHT_RELA) {
        sections->relocations = section;
        sections->relocations_header = *header;
    } else if (strcmp(name, ".plt.sec") == 0 ||
               (strcmp(name, ".plt") == 0 && !sections->has_stubs)) {
        sections->stubs = *header;
        sections->has_stubs = true;
        sections->starts_with_resolver = name[4] == '\0';
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
    return sections->relocations != NULL && sections->has_stubs;
}

/* The name of the symbol that relocation INDEX is for; NULL when it has none. */
static const char *relocated_name(Elf *elf, Elf_Data *relocations, int index, Elf_Data *symbols,
                                  size_t names)
{
    GElf_Rela relocation;
    GElf_Sym symbol;

    if (gelf_getrela(relocations, index, &relocation) == NULL ||
        GELF_R_SYM(relocation.r_info) == 0 ||
        gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol) == NULL)
        return NULL;
    return elf_strptr(elf, names, symbol.st_name);
}

static int add_stubs(struct symbol_table *table, Elf *elf, const struct plt_sections *sections)
{
    Elf_Data *relocations = elf_getdata(sections->relocations, NULL);
    Elf_Scn *symbol_section = elf_getscn(elf, sections->relocations_header.sh_link);
    Elf_Data *symbols = symbol_section != NULL ? elf_getdata(symbol_section, NULL) : NULL;
    uint64_t end = sections->stubs.sh_addr + sections->stubs.sh_size;
    uint64_t at = sections->stubs.sh_addr + (sections->starts_with_resolver ? STUB_BYTES : 0);
    GElf_Shdr symbol_header;

    if (relocations == NULL || symbols == NULL ||
        gelf_getshdr(symbol_section, &symbol_header) == NULL)
        return 0;
    for (int i = 0; at + STUB_BYTES <= end; i++, at += STUB_BYTES) {
        struct symbol stub = { .start = at, .end = at + STUB_BYTES, .is_plt = true };
        int err = 0;

        stub.rank = RANK_OF_STUBS;
        stub.name = relocated_name(elf, relocations, i, symbols, symbol_header.sh_link);
        if (stub.name != NULL && stub.name[0] != '\0')
            err = symbol_table_add(table, &stub);
        if (err < 0)
            return err;
    }
    return 0;
}

int symbol_plt_read(struct symbol_table *table, Elf *elf)
{
    struct plt_sections sections = { 0 };
    GElf_Ehdr header;

    if (gelf_getehdr(elf, &header) == NULL || header.e_machine != EM_X86_64)
        return 0;
    return find_sections(elf, &sections) ? add_stubs(table, elf, &sections) : 0;
}
