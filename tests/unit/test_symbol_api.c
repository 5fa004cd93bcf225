/* profctl.symbol_api: what profilers ask of a symbol server, asked of this program's own file. */
#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profctl/view/disassembly.h"
#include "profctl/view/symbol_api.h"
#include "tests/unit/json_text.h"
#include "tests/unit/run_suite.h"

enum { PATH_BYTES = 4096 };

static struct library_list *libraries;
static uint64_t known_offset; /* of known_function() in this program's file */

__attribute__((noinline, noclone, noipa)) static int known_function(int number)
{
    return number * 3;
}

static void set_up(void)
{
    char path[PATH_BYTES], name[] = "me", id[] = "A0", build_id[] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    struct process_libraries own = { 0 };
    struct link_map *map;
    Dl_info info;

    ck_assert_int_gt(length, 0);
    path[length] = '\0';
    ck_assert_int_eq(known_function(2), 6);
    ck_assert_int_ne(dladdr1((void *)known_function, &info, (void **)&map, RTLD_DL_LINKMAP), 0);
    known_offset = (uint64_t)(uintptr_t)known_function - map->l_addr;
    struct process_library *library = mapped_array_push(&own.libraries, sizeof(*library));
    *library = (struct process_library){
        .name = name, .path = path, .build_id = build_id, .debug_name = name, .debug_id = id
    };
    ck_assert_int_eq(library_list_create(&libraries), 0);
    ck_assert_int_eq(library_list_add(libraries, &own), 0);
    ck_assert_int_eq(library_list_add(libraries, &own), 0); /* once more, as of another process */
    mapped_array_free(&own.libraries);
}

static void tear_down(void)
{
    library_list_free(libraries);
}

/* What REQUEST is answered with; to be deleted. */
static cJSON *ask_api(const char *path, const char *request)
{
    char *text = NULL;
    ck_assert_int_eq(symbol_api_answer(libraries, path, request, &text), 0);
    cJSON *answer = cJSON_Parse(text);
    ck_assert_ptr_nonnull(answer);
    free(text);
    return answer;
}

static cJSON *item_at(const cJSON *array, int index)
{
    cJSON *item = cJSON_GetArrayItem(array, index);
    ck_assert_ptr_nonnull(item);
    return item;
}

START_TEST(addresses_are_named_with_file_and_line)
{
    char request[512];
    snprintf(request, sizeof(request),
             "{\"jobs\":[{\"memoryMap\":[[\"other\",\"B\"],[\"me\",\"A0\"]],"
             "\"stacks\":[[[1,%llu],[0,16]],[]]}]}",
             (unsigned long long)known_offset + 1);
    cJSON *answer = ask_api("/symbolicate/v5", request);
    cJSON *result = item_at(get_member(answer, "results"), 0);
    ck_assert(cJSON_IsTrue(get_member(get_member(result, "found_modules"), "me/A0")));
    ck_assert(cJSON_IsFalse(get_member(get_member(result, "found_modules"), "other/B")));
    ck_assert_int_eq(cJSON_GetArraySize(get_member(result, "stacks")), 2);
    cJSON *known = item_at(item_at(get_member(result, "stacks"), 0), 0);
    ck_assert_str_eq(symbol_api_text(known, "function"), "known_function");
    ck_assert_str_eq(symbol_api_text(known, "function_offset"), "0x1");
    ck_assert_str_eq(symbol_api_text(known, "module"), "me");
    ck_assert_ptr_nonnull(strstr(symbol_api_text(known, "file"), "test_symbol_api.c"));
    ck_assert_double_gt(get_member(known, "line")->valuedouble, 0);
    cJSON *unknown = item_at(item_at(get_member(result, "stacks"), 0), 1);
    ck_assert_str_eq(symbol_api_text(unknown, "module_offset"), "0x10");
    ck_assert_ptr_null(symbol_api_text(unknown, "function"));
    cJSON_Delete(answer);
}
END_TEST

/* Of known_function(), as its names tell. */
static uint64_t known_size(void)
{
    char request[256];
    snprintf(request, sizeof(request), "{\"memoryMap\":[[\"me\",\"A0\"]],\"stacks\":[[[0,%llu]]]}",
             (unsigned long long)known_offset);
    cJSON *answer = ask_api("/symbolicate/v5", request);
    cJSON *frame =
        item_at(item_at(get_member(item_at(get_member(answer, "results"), 0), "stacks"), 0), 0);
    uint64_t size = strtoull(symbol_api_text(frame, "function_size"), NULL, 16);
    cJSON_Delete(answer);
    return size;
}

START_TEST(a_request_may_be_one_job)
{
    cJSON *answer = ask_api("/symbolicate/v5", "{\"memoryMap\":[],\"stacks\":[]}");
    ck_assert_int_eq(cJSON_GetArraySize(get_member(answer, "results")), 1);
    cJSON_Delete(answer);
}
END_TEST

static void expect_refusal(const char *path, const char *request, const char *word)
{
    cJSON *answer = ask_api(path, request);
    const char *error = symbol_api_text(answer, "error");
    ck_assert_msg(error != NULL && strstr(error, word) != NULL, "%s", error);
    cJSON_Delete(answer);
}

START_TEST(only_files_that_the_code_names_are_given_away)
{
    char request[512];
    snprintf(request, sizeof(request),
             "{\"debugName\":\"me\",\"debugId\":\"A0\",\"moduleOffset\":\"0x%llx\",\"file\":"
             "\"/etc/passwd\"}",
             (unsigned long long)known_offset);
    expect_refusal("/source/v1", request, "does not name that file");
    expect_refusal(
        "/source/v1",
        "{\"debugName\":\"you\",\"debugId\":\"A0\",\"moduleOffset\":\"0x1\",\"file\":\"a\"}",
        "no such library");
}
END_TEST

START_TEST(functions_are_disassembled_to_their_end)
{
    char request[512];
    snprintf(request, sizeof(request),
             "{\"debugName\":\"me\",\"debugId\":\"A0\",\"startAddress\":\"0x%llx\",\"size\":"
             "\"0x1\",\"continueUntilFunctionEnd\":true}",
             (unsigned long long)known_offset);
    cJSON *answer = ask_api("/asm/v1", request);
    cJSON *instructions = get_member(answer, "instructions");
    int count = cJSON_GetArraySize(instructions);
    ck_assert_int_gt(count, 1);
    ck_assert_double_eq(item_at(item_at(instructions, 0), 0)->valuedouble, 0);
    ck_assert_double_lt(item_at(item_at(instructions, count - 1), 0)->valuedouble,
                        (double)known_size());
    ck_assert_uint_eq(strtoull(symbol_api_text(answer, "size"), NULL, 16), known_size());
    ck_assert_str_eq(symbol_api_text(answer, "arch"), DISASSEMBLY_ARCH);
    cJSON_Delete(answer);
    expect_refusal("/asm/v1",
                   "{\"debugName\":\"me\",\"debugId\":\"A0\",\"startAddress\":\"0xfffffffffff0\","
                   "\"size\":\"0x10\"}",
                   "no code there");
}
END_TEST

START_TEST(what_is_no_request_is_refused)
{
    static const struct {
        const char *path, *request;
    } wrong[] = {
        { "/symbolicate/v5", "" },
        { "/symbolicate/v5", "[]" },
        { "/symbolicate/v5", "{\"jobs\":3}" },
        { "/symbolicate/v5", "{\"jobs\":[3]}" },
        { "/symbolicate/v5", "{\"memoryMap\":[[\"me\"]],\"stacks\":[]}" },
        { "/symbolicate/v5", "{\"memoryMap\":[[\"me\",\"A0\"]],\"stacks\":[[[1,1]]]}" },
        { "/symbolicate/v5", "{\"memoryMap\":[[\"me\",\"A0\"]],\"stacks\":[[[0,-1]]]}" },
        { "/symbolicate/v5", "{\"memoryMap\":[[\"me\",\"A0\"]],\"stacks\":[[[0,0.5]]]}" },
        { "/symbolicate/v5", "{\"memoryMap\":[[\"me\",\"A0\"]],\"stacks\":[[[0]]]}" },
        { "/symbolicate/v5", "{\"memoryMap\":[[\"me\",\"A0\"]],\"stacks\":[7]}" },
        { "/source/v1", "{}" },
        { "/source/v1", "{\"file\":\"a\",\"moduleOffset\":7}" },
        { "/source/v1", "{\"file\":\"a\",\"moduleOffset\":\"0x1\"}" },
        { "/asm/v1", "{\"startAddress\":\"12\"}" },
        { "/asm/v1", "{\"startAddress\":\"0x\",\"size\":\"0x1\"}" },
        { "/asm/v1", "{\"startAddress\":\"0x11112222333344445\",\"size\":\"0x1\"}" },
        { "/asm/v1", "{\"debugName\":\"me\",\"debugId\":\"A0\",\"startAddress\":\"0x1\",\"size\":"
                     "\"0xfffffff\"}" },
    };
    char *text = NULL;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert_msg(symbol_api_answer(libraries, wrong[i].path, wrong[i].request, &text) ==
                          -EINVAL,
                      "%s", wrong[i].request);
    ck_assert_int_eq(symbol_api_answer(libraries, "/other", "{}", &text), -ENOENT);
    ck_assert_ptr_null(text);
}
END_TEST

static int keep_text(void *owner, uint64_t offset, const char *text)
{
    char *all = owner;
    sprintf(all + strlen(all), "%u %s\n", (unsigned)offset, text);
    return 0;
}

START_TEST(bytes_that_are_no_instruction_are_told)
{
    static const uint8_t code[] = { 0x90, 0x06, 0xc3 }; /* the middle one is none in 64 bits */
    char text[256] = "";
    ck_assert_int_eq(disassemble(code, sizeof(code), 0x1000, keep_text, text), 0);
    ck_assert_str_eq(text, "0 nop\n1 (bad)\n2 ret\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("symbol_api");
    TCase *asking = tcase_create("asking");
    tcase_add_checked_fixture(asking, set_up, tear_down);
    tcase_add_test(asking, addresses_are_named_with_file_and_line);
    tcase_add_test(asking, a_request_may_be_one_job);
    tcase_add_test(asking, only_files_that_the_code_names_are_given_away);
    tcase_add_test(asking, functions_are_disassembled_to_their_end);
    tcase_add_test(asking, what_is_no_request_is_refused);
    tcase_add_test(asking, bytes_that_are_no_instruction_are_told);
    suite_add_tcase(suite, asking);
    return run_suite(suite);
}
