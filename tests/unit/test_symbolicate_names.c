/* Names of functions, and which function an address is in. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/symbols/symbol_name.h"
#include "profctl/symbols/symbol_table.h"
#include "tests/unit/run_suite.h"

/* --- Names --- */

static const struct {
    const char *linker, *readable;
} names[] = {
    { "main", "main" },
    { "", "" },
    { "memcpy@@GLIBC_2.14", "memcpy" },
    { "_Z3foov", "foo()" },
    { "_ZN3app6EngineIdE4stepEi", "app::Engine<double>::step(int)" },
    { "_Z3foov.part.0", "foo() [clone .part.0]" },
    { "_Znot_mangled", "_Znot_mangled" },
    /* Rust, legacy */
    { "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
    { "_ZN43_$LT$r..Foo$LT$T$GT$$u20$as$u20$r..Work$GT$4work17h0123456789abcdefE",
      "<r::Foo<T> as r::Work>::work" },
    { "_ZN3lib4h12317h0123456789abcdefE", "lib::h123" },
    /* Rust, v0 */
    { "_RNvCs6GmmlP4bgsG_1r4main", "r::main" },
    { "_RNvXCs6GmmlP4bgsG_1rINtB2_3FooReENtB2_4Work4workB2_", "<r::Foo<&str> as r::Work>::work" },
    { "_RINvCs6GmmlP4bgsG_1r12closure_userNCNvB2_4main0EB2_",
      "r::closure_user::<r::main::{closure#0}>" },
    { "_RNCNCNCNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal00s_0B9_",
      "std::rt::lang_start_internal::{closure#0}::{closure#0}::{closure#1}" },
    { "_RNvC1a1f.llvm.123", "a::f" },
    { "_RINvC1a1fTalEE", "a::f::<(i8, i32)>" },
    { "_RINvC1a1fTaEAhj4_E", "a::f::<(i8,), [u8; 4]>" },
    { "_RINvC1a1fFUKClEuE", "a::f::<unsafe extern \"C\" fn(i32)>" },
    { "_RINvC1a1fDNtC1b1Tp4ItemlEL_E", "a::f::<dyn b::T<Item = i32>>" },
    { "_RINvC1a1fKln7_Kb1_E", "a::f::<-7, true>" },
};

START_TEST(names_read_as_they_were_written)
{
    char *readable = symbol_name_readable(names[_i].linker);

    ck_assert_ptr_nonnull(readable);
    ck_assert_str_eq(readable, names[_i].readable);
    free(readable);
}
END_TEST

static const char *const malformed[] = {
    "_R",
    "_RN",
    "_RNv",
    "_RNvC",
    "_RNvC99999999999999999999a1f",
    "_RNvC1a",
    "_RNvC1a1f!",
    "_RB_",
    "_RNvB_1f",
    "_RINvC1a1fB7_E",
    "_RINvC1a1f",
    "_RNvCs1a",
    "_RINvC1a1fDNtC1b1TEE",
};

START_TEST(what_cannot_be_read_stays_as_it_is)
{
    char *readable = symbol_name_readable(malformed[_i]);

    ck_assert_str_eq(readable, malformed[_i]);
    free(readable);
}
END_TEST

/* Each level names the one before twice: written out it would have a million million parts. */
START_TEST(a_name_that_explodes_stays_as_it_is)
{
    char name[1024] = "_RINvC1a1f", *readable;
    size_t place = strlen(name) - 2;

    strcat(name, "TaaE");
    for (int i = 0; i < 40; i++) {
        size_t here = strlen(name) - 2;
        static const char digits[] =
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        char reference[8] = "B_";
        char level[32];

        if (place > 0 && place <= 62)
            snprintf(reference, sizeof(reference), "B%c_", digits[place - 1]);
        else if (place > 62)
            snprintf(reference, sizeof(reference), "B%c%c_", digits[(place - 1) / 62],
                     digits[(place - 1) % 62]);
        snprintf(level, sizeof(level), "T%s%sE", reference, reference);
        strcat(name, level);
        place = here;
    }
    strcat(name, "E");
    readable = symbol_name_readable(name);
    ck_assert_str_eq(readable, name);
    free(readable);
}
END_TEST

START_TEST(every_cut_of_a_name_is_survived)
{
    for (size_t length = 0; length <= strlen(names[_i].linker); length++) {
        char *cut = strndup(names[_i].linker, length);
        char *readable = symbol_name_readable(cut);

        ck_assert_ptr_nonnull(readable);
        free(readable);
        free(cut);
    }
}
END_TEST

/* --- Tables --- */

static struct symbol_table table;

static void add_symbol(uint64_t start, uint64_t end, const char *name, uint8_t rank)
{
    struct symbol symbol = { start, end, name, rank, false };

    ck_assert_int_eq(symbol_table_add(&table, &symbol), 0);
}

static void fill_table(void)
{
    add_symbol(0x300, 0x1000, "label", SYMBOL_RANK_WITHOUT_SIZE);
    add_symbol(0x100, 0x180, "__alias", 2);
    add_symbol(0x100, 0x180, "alias", 0);
    add_symbol(0x200, 0x280, "outer", 0);
    add_symbol(0x210, 0x218, "inner", 0);
    add_symbol(0x400, 0x480, "last", 0);
    add_symbol(0x180, 0x1000, NULL, SYMBOL_RANK_WITHOUT_SIZE | 1 << 7);
    add_symbol(0x220, 0x1000, NULL, SYMBOL_RANK_WITHOUT_SIZE | 1 << 7);
    symbol_table_sort(&table);
}

static void empty_table(void)
{
    symbol_table_free(&table);
}

static const struct {
    uint64_t address;
    const char *name; /* NULL: none */
    uint64_t start;   /* 0: nothing is there */
} places[] = {
    { 0x0ff, NULL, 0 },        { 0x100, "alias", 0x100 }, { 0x17f, "alias", 0x100 },
    { 0x180, NULL, 0x180 },    { 0x1ff, NULL, 0x180 },    { 0x20f, "outer", 0x200 },
    { 0x210, "inner", 0x210 }, { 0x217, "inner", 0x210 }, { 0x218, "outer", 0x200 },
    { 0x230, "outer", 0x200 }, { 0x290, NULL, 0x220 },    { 0x3ff, "label", 0x300 },
    { 0x400, "last", 0x400 },  { 0x480, NULL, 0 },
};

START_TEST(an_address_is_in_the_nearest_function_around_it)
{
    const struct symbol *found = symbol_table_find(&table, places[_i].address);

    if (places[_i].start == 0) {
        ck_assert_ptr_null(found);
        return;
    }
    ck_assert_ptr_nonnull(found);
    ck_assert_uint_eq(found->start, places[_i].start);
    ck_assert_pstr_eq(found->name, places[_i].name);
}
END_TEST

START_TEST(an_empty_table_knows_nothing)
{
    struct symbol_table nothing = { 0 };

    symbol_table_sort(&nothing);
    ck_assert_ptr_null(symbol_table_find(&nothing, 0));
}
END_TEST

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
    Suite *suite = suite_create("profctl.symbolicate_names");
    TCase *naming = tcase_create("names"), *finding = tcase_create("tables");

    tcase_add_loop_test(naming, names_read_as_they_were_written, 0, COUNT_OF(names));
    tcase_add_loop_test(naming, what_cannot_be_read_stays_as_it_is, 0, COUNT_OF(malformed));
    tcase_add_test(naming, a_name_that_explodes_stays_as_it_is);
    tcase_add_loop_test(naming, every_cut_of_a_name_is_survived, 0, COUNT_OF(names));
    tcase_add_checked_fixture(finding, fill_table, empty_table);
    tcase_add_loop_test(finding, an_address_is_in_the_nearest_function_around_it, 0,
                        COUNT_OF(places));
    tcase_add_test(finding, an_empty_table_knows_nothing);
    suite_add_tcase(suite, naming);
    suite_add_tcase(suite, finding);
    return run_suite(suite);
}
