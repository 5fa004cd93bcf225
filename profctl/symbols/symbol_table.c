#include "profctl/symbols/symbol_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many symbols back one that encloses the address is looked for: labels inside of hand-written
 * functions are the only case. */
enum { MAX_ENCLOSED = 16 };

/* A name's rank from what the table says of it, so that `write` wins over `__write` and both over a
 * label without a type. */
static uint8_t rank_of(const GElf_Sym *symbol, const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    unsigned underscores = (unsigned)strspn(name, "_");
    uint8_t rank = underscores < 7 ? (uint8_t)underscores : 7;

    if (strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0)
        rank = 0;
    if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL)
        rank |= 1 << 3;
    if (symbol->st_size == 0)
        rank |= SYMBOL_RANK_WITHOUT_SIZE;
    if (type == STT_NOTYPE)
        rank |= 1 << 5;
    return rank;
}

/* The end of the section that ADDRESS is in when it holds code, else 0. */
static uint64_t code_section_end(Elf *elf, GElf_Word index)
{
    Elf_Scn *section = elf_getscn(elf, index);
    GElf_Shdr header;

    if (section == NULL || gelf_getshdr(section, &header) == NULL)
        return 0;
    if ((header.sh_flags & SHF_EXECINSTR) == 0)
        return 0;
    return header.sh_addr + header.sh_size;
}

static bool is_function(const GElf_Sym *symbol)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);

    return symbol->st_shndx != SHN_UNDEF &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static int add_from_elf(struct symbol_table *table, Dwfl_Module *module, int index,
                        uint64_t address_bias)
{
    GElf_Sym symbol;
    GElf_Addr address;
    GElf_Word section;
    Elf *elf;
    Dwarf_Addr bias;
    struct symbol found;
    uint64_t section_end;
    const char *name =
        dwfl_module_getsym_info(module, index, &symbol, &address, &section, &elf, &bias);

    if (name == NULL || name[0] == '\0' || elf == NULL || !is_function(&symbol))
        return 0;
    section_end = code_section_end(elf, section);
    if (section_end == 0)
        return 0;
    found.name = name;
    found.start = address - address_bias;
    found.end =
        symbol.st_size > 0 ? found.start + symbol.st_size : section_end + (bias - address_bias);
    found.rank = rank_of(&symbol, name);
    found.is_plt = false;
    return found.end > found.start ? symbol_table_add(table, &found) : 0;
}

int symbol_table_read(struct symbol_table *table, Dwfl_Module *module, uint64_t address_bias)
{
    int count = dwfl_module_getsymtab(module);

    for (int i = 1; i < count; i++) {
        int error = add_from_elf(table, module, i, address_bias);

        if (error < 0)
            return error;
    }
    return 0;
}

int symbol_table_add(struct symbol_table *table, const struct symbol *symbol)
{
    if (table->count == table->capacity) {
        size_t capacity = table->capacity > 0 ? table->capacity * 2 : 1024;
        struct symbol *grown = reallocarray(table->symbols, capacity, sizeof(*grown));

        if (grown == NULL)
            return -ENOMEM;
        table->symbols = grown;
        table->capacity = capacity;
    }
    table->symbols[table->count++] = *symbol;
    return 0;
}

static int compare_symbols(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    size_t a_length, b_length;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->name == NULL || b->name == NULL)
        return 0;
    a_length = strlen(a->name);
    b_length = strlen(b->name);
    if (a_length != b_length)
        return a_length < b_length ? -1 : 1;
    return strcmp(a->name, b->name);
}

void symbol_table_sort(struct symbol_table *table)
{
    size_t kept = 0;

    if (table->count == 0)
        return;
    qsort(table->symbols, table->count, sizeof(*table->symbols), compare_symbols);
    for (size_t i = 1; i < table->count; i++)
        if (table->symbols[i].start != table->symbols[kept].start)
            table->symbols[++kept] = table->symbols[i];
    table->count = kept + 1;
    for (size_t i = 0; i + 1 < table->count; i++) {
        struct symbol *symbol = &table->symbols[i];

        if ((symbol->rank & SYMBOL_RANK_WITHOUT_SIZE) != 0 && symbol->end > symbol[1].start)
            symbol->end = symbol[1].start;
    }
}

/* How many symbols start at or below ADDRESS. */
static size_t count_at_or_below(const struct symbol_table *table, uint64_t address)
{
    size_t low = 0, high = table->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (table->symbols[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t address)
{
    size_t below = count_at_or_below(table, address);
    const struct symbol *unnamed = NULL;

    for (size_t i = 0; i < MAX_ENCLOSED && i < below; i++) {
        const struct symbol *symbol = &table->symbols[below - 1 - i];

        if (address >= symbol->end)
            continue;
        if (symbol->name != NULL)
            return symbol;
        if (unnamed == NULL)
            unnamed = symbol;
    }
    return unnamed;
}

void symbol_table_free(struct symbol_table *table)
{
    free(table->symbols);
    *table = (struct symbol_table){ 0 };
}
