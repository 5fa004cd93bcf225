/* Names of generated code: what engines call it, and the lists that they leave. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profctl/symbols/jit_code.h"
#include "profctl/symbols/jit_lists.h"
#include "profctl/symbols/jit_name.h"
#include "profctl/symbols/jit_process.h"
#include "tests/unit/run_suite.h"

static struct jit_code code;

static void set_up(void)
{
    jit_code_init(&code);
}

static void tear_down(void)
{
    jit_code_free(&code);
}

static const struct {
    const char *name, *location, *tier;
} names[] = {
    { "JS:*parse /srv/app.js:12:5", "parse (/srv/app.js:12:5)", "turbofan" },
    { "JS:+parse /srv/app.js:12:5", "parse (/srv/app.js:12:5)", "maglev" },
    { "JS:parse /srv/app.js:12:5", "parse (/srv/app.js:12:5)", NULL },
    { "JS:~parse file:///srv/an app.js:12:5", "parse (file:///srv/an app.js:12:5)", "interpreter" },
    { "JS:^Module._load node:internal/modules/cjs/loader:900:24",
      "Module._load (node:internal/modules/cjs/loader:900:24)", "baseline" },
    { "LazyCompile:*get size /srv/app.js:1:2", "get size (/srv/app.js:1:2)", "turbofan" },
    { "JS:* /srv/app.js:2:109", "anonymous (/srv/app.js:2:109)", "turbofan" },
    { "JS:* [eval]:1:1", "anonymous ([eval]:1:1)", "turbofan" },
    { "JS:*parse", "JS:*parse (in [generated code])", NULL },
    { "JS:*parse 1:2", "JS:*parse 1:2 (in [generated code])", NULL },
    { "Builtin:ArrayMap", "Builtin:ArrayMap (in [generated code])", NULL },
    { "py::parse:/srv/app.py", "parse (/srv/app.py)", NULL },
    { "py::parse:", "py::parse: (in [generated code])", NULL },
    { "", " (in [generated code])", NULL },
    { "a\tb\033[m", "a?b?[m (in [generated code])", NULL },
    { "void [app] Parser::Read()[OptimizedTier1]",
      "void [app] Parser::Read() (in [generated code])", "OptimizedTier1" },
    { "[Tier0]", "[Tier0] (in [generated code])", NULL },
};

START_TEST(names_become_locations)
{
    char location[JIT_LOCATION_BYTES];
    const char *tier;
    size_t length = jit_name_location(names[_i].name, strlen(names[_i].name), location, &tier);
    ck_assert_str_eq(location, names[_i].location);
    ck_assert_uint_eq(length, strlen(location));
    ck_assert_pstr_eq(tier, names[_i].tier);
}
END_TEST

START_TEST(a_name_that_is_too_long_is_cut)
{
    char name[3 * JIT_LOCATION_BYTES], location[JIT_LOCATION_BYTES];
    const char *tier;
    memset(name, 'x', sizeof(name));
    ck_assert_uint_lt(jit_name_location(name, sizeof(name), location, &tier), JIT_LOCATION_BYTES);
    memcpy(name, "JS:*", 4);
    memcpy(name + sizeof(name) - 4, ":1:2", 4);
    ck_assert_uint_lt(jit_name_location(name, sizeof(name), location, &tier), JIT_LOCATION_BYTES);
}
END_TEST

static void add_function(uint64_t start, uint64_t bytes, const char *name)
{
    ck_assert_int_eq(jit_code_add(&code, start, bytes, name, strlen(name)), 0);
}

/* The first letters of what is known of ADDRESS. */
static const char *name_at(uint64_t address)
{
    static char text[64];
    struct jit_function function;
    bool is_known = jit_code_find(&code, address, &function);
    size_t end = is_known ? function.length - strlen(" (in [generated code])") : 0;
    memcpy(text, is_known ? function.location : "", end);
    text[end] = '\0';
    return text;
}

START_TEST(a_function_is_found_from_its_first_to_its_last_byte)
{
    ck_assert_str_eq(name_at(0x1000), "");
    add_function(0x1000, 0x100, "one");
    add_function(0x3000, 1, "three");
    ck_assert_str_eq(name_at(0xfff), "");
    ck_assert_str_eq(name_at(0x1000), "one");
    ck_assert_str_eq(name_at(0x10ff), "one");
    ck_assert_str_eq(name_at(0x1100), "");
    ck_assert_str_eq(name_at(0x3000), "three");
    ck_assert_str_eq(name_at(UINT64_MAX), "");
}
END_TEST

START_TEST(what_came_later_counts)
{
    add_function(0x1000, 0x100, "old");
    add_function(0x1080, 0x100, "new");
    add_function(0x1000, 0x10, "newest");
    ck_assert_str_eq(name_at(0x1008), "newest");
    ck_assert_str_eq(name_at(0x1040), "old");
    ck_assert_str_eq(name_at(0x1090), "new");
    add_function(0x1000, 0x1000, "last");
    ck_assert_str_eq(name_at(0x1090), "last");
}
END_TEST

START_TEST(a_region_that_can_not_be_is_none)
{
    add_function(0x1000, 0, "empty");
    add_function(UINT64_MAX - 1, 4, "beyond");
    add_function(0x1000, UINT64_C(1) << 62, "everything");
    ck_assert_str_eq(name_at(0x2000), "");
    ck_assert_str_eq(name_at(0x1000), "");
    ck_assert_str_eq(name_at(UINT64_MAX), "");
}
END_TEST

static int read_text(int (*read)(FILE *file, struct jit_code *code), const void *text, size_t bytes)
{
    FILE *file = fmemopen((void *)text, bytes, "r");
    ck_assert_ptr_nonnull(file);
    int error = read(file, &code);
    fclose(file);
    return error;
}

START_TEST(a_perf_map_is_read_line_by_line)
{
    static const char text[] = "1000 10 one\n"
                               "0x2000 0x20 two words\n"
                               "\n"
                               "nonsense\n"
                               "3000\n"
                               "3000 10\n"
                               "3000 10 \n"
                               "11112222333344445 10 too long a number\n"
                               "4000 10 last line without an end";
    ck_assert_int_eq(read_text(jit_read_perf_map, text, strlen(text)), 0);
    ck_assert_uint_eq(code.added, 3);
    ck_assert_str_eq(name_at(0x100f), "one");
    ck_assert_str_eq(name_at(0x201f), "two words");
    ck_assert_str_eq(name_at(0x4000), "last line without an end");
}
END_TEST

START_TEST(a_zero_byte_in_a_line_hides_none)
{
    static const char text[] = "1000 10 one\0more\n"
                               "2000 10 two\n"
                               "\0\n"
                               "30\00000 10 three\n"
                               "4000 10 four\n";
    ck_assert_int_eq(read_text(jit_read_perf_map, text, sizeof(text) - 1), 0);
    ck_assert_uint_eq(code.added, 3);
    ck_assert_str_eq(name_at(0x1000), "one?more");
    ck_assert_str_eq(name_at(0x2000), "two");
    ck_assert_str_eq(name_at(0x4000), "four");
}
END_TEST

START_TEST(a_line_that_is_too_long_hides_none)
{
    char text[20000];
    memset(text, 'x', sizeof(text));
    memcpy(text, "1000 10 ", 8);
    memcpy(text + sizeof(text) - 15, "\n2000 10 second", 15);
    ck_assert_int_eq(read_text(jit_read_perf_map, text, sizeof(text)), 0);
    ck_assert_uint_eq(code.added, 2);
    ck_assert_str_eq(name_at(0x2000), "second");
}
END_TEST

struct dump {
    uint32_t magic, version, header_bytes, machine, padding, pid;
    uint64_t timestamp, flags;
    /* A record of another kind … */
    uint32_t other_id, other_bytes;
    uint64_t other_timestamp, other;
    /* … and a function */
    uint32_t load_id, load_bytes;
    uint64_t load_timestamp;
    uint32_t load_pid, load_tid;
    uint64_t address_in_file, address, bytes, index;
    char name[8];
    uint8_t code[16];
};

static const struct dump good_dump = {
    .magic = 0x4a695444,
    .version = 1,
    .header_bytes = 40,
    .other_id = 2,
    .other_bytes = 24,
    .load_bytes = 16 + 40 + 8 + 16,
    .address = 0x5000,
    .bytes = 16,
    .name = "dumped",
};

START_TEST(a_jitdump_is_read_record_by_record)
{
    ck_assert_int_eq(read_text(jit_read_dump, &good_dump, sizeof(good_dump)), 0);
    ck_assert_uint_eq(code.added, 1);
    ck_assert_str_eq(name_at(0x5008), "dumped");
}
END_TEST

START_TEST(a_jitdump_that_is_cut_short_is_survived)
{
    for (size_t bytes = 1; bytes < sizeof(good_dump); bytes++)
        ck_assert_int_eq(read_text(jit_read_dump, &good_dump, bytes), bytes < 40 ? -EPROTO : 0);
}
END_TEST

START_TEST(any_bytes_are_survived)
{
    srandom((unsigned)_i);
    for (int round = 0; round < 2000; round++) {
        struct dump dump = good_dump;
        for (int i = 0; i < 3; i++)
            ((uint8_t *)&dump)[40 + (size_t)random() % (sizeof(dump) - 40)] = (uint8_t)random();
        (void)read_text(jit_read_dump, &dump, sizeof(dump));
        (void)read_text(jit_read_perf_map, &dump, sizeof(dump));
    }
}
END_TEST

START_TEST(a_record_without_length_ends_the_dump)
{
    struct dump dump = good_dump;
    dump.other_bytes = 0;
    ck_assert_int_eq(read_text(jit_read_dump, &dump, sizeof(dump)), 0);
    ck_assert_uint_eq(code.added, 0);
}
END_TEST

START_TEST(a_jitdump_is_known_by_its_name)
{
    ck_assert(jit_is_dump_path("/srv/jit-17.dump"));
    ck_assert(jit_is_dump_path("jit-17.dump"));
    ck_assert(!jit_is_dump_path("/srv/jit-.dump"));
    ck_assert(!jit_is_dump_path("/srv/jit-17.dump.gz"));
    ck_assert(!jit_is_dump_path("/jit-17.dump/libx.so"));
}
END_TEST

/* The name that this process' perf map, made by MAKE, gives to an address; NULL: none. */
static const char *name_by_map(void (*make)(const char *path, const char *elsewhere))
{
    struct jit_process process = { .pid = getpid() };
    char path[64], elsewhere[64];
    struct jit_function function;
    int error;
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
    snprintf(elsewhere, sizeof(elsewhere), "/tmp/perf-%d.elsewhere", getpid());
    make(path, elsewhere);
    bool is_known = jit_process_find(&process, 0x1000, &function, &error);
    ck_assert_int_eq(error, 0);
    jit_process_clear(&process);
    unlink(path);
    unlink(elsewhere);
    return is_known ? "known" : NULL;
}

static void write_map(const char *path)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("1000 10 function\n", file);
    ck_assert_int_eq(fclose(file), 0);
}

static void make_file(const char *path, const char *elsewhere)
{
    (void)elsewhere;
    write_map(path);
}

static void make_link(const char *path, const char *elsewhere)
{
    write_map(elsewhere);
    ck_assert_int_eq(symlink(elsewhere, path), 0);
}

static void make_fifo(const char *path, const char *elsewhere)
{
    (void)elsewhere;
    ck_assert_int_eq(mkfifo(path, 0600), 0);
}

static void make_folder(const char *path, const char *elsewhere)
{
    (void)elsewhere;
    ck_assert_int_eq(symlink("/tmp", path), 0);
}

START_TEST(only_a_regular_file_is_a_list)
{
    ck_assert_ptr_nonnull(name_by_map(make_file));
    ck_assert_ptr_null(name_by_map(make_link));
    ck_assert_ptr_null(name_by_map(make_fifo));
    ck_assert_ptr_null(name_by_map(make_folder));
}
END_TEST

START_TEST(nobody_knows_the_code_of_an_unknown_process)
{
    struct jit_process process = { 0 };
    struct jit_function function;
    int error;
    ck_assert(!jit_process_find(&process, 0x1000, &function, &error));
    ck_assert_int_eq(error, 0);
    jit_process_clear(&process);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.jit");
    TCase *tcase = tcase_create("jit");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, names_become_locations, 0, sizeof(names) / sizeof(names[0]));
    tcase_add_test(tcase, a_name_that_is_too_long_is_cut);
    tcase_add_test(tcase, a_function_is_found_from_its_first_to_its_last_byte);
    tcase_add_test(tcase, what_came_later_counts);
    tcase_add_test(tcase, a_region_that_can_not_be_is_none);
    tcase_add_test(tcase, a_perf_map_is_read_line_by_line);
    tcase_add_test(tcase, a_line_that_is_too_long_hides_none);
    tcase_add_test(tcase, a_zero_byte_in_a_line_hides_none);
    tcase_add_test(tcase, only_a_regular_file_is_a_list);
    tcase_add_test(tcase, a_jitdump_is_read_record_by_record);
    tcase_add_test(tcase, a_jitdump_that_is_cut_short_is_survived);
    tcase_add_loop_test(tcase, any_bytes_are_survived, 0, 3);
    tcase_add_test(tcase, a_record_without_length_ends_the_dump);
    tcase_add_test(tcase, a_jitdump_is_known_by_its_name);
    tcase_add_test(tcase, nobody_knows_the_code_of_an_unknown_process);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
