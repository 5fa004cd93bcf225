/* profctl.symbolicate: small captures of this very program get names. Needs to be compiled with -g.
 */
#include "profctl/naming/symbolicate.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/symbolicate_scene.h"

static inline __attribute__((always_inline)) void *inlined_function(void)
{
    void *address;

    __asm__ volatile("1: lea 1b(%%rip), %0" : "=r"(address));
    return address;
}

__attribute__((noinline)) static void *outer_function(void)
{
    void *address = inlined_function();

    __asm__ volatile("" : "+r"(address));
    return address;
}

START_TEST(two_addresses_of_a_function_are_one_function)
{
    uint64_t address = (uint64_t)(uintptr_t)plain_function;
    struct thread_text thread = { .frames = "[[0,false,null,null,null,null,2,0],"
                                            "[1,false,null,null,null,null,2,0]]",
                                  .stacks = "[[null,0],[null,1]]",
                                  .samples = "[[0,1,0,7],[1,2,0,7],[null,3,0,0]]",
                                  .markers = "[]" };
    char *capture;
    cJSON *root;

    snprintf(thread.strings, sizeof(thread.strings), "[\"0x%" PRIx64 "\",\"0x%" PRIx64 "\"]",
             address, address + 1);
    capture = make_capture(&thread, "null");
    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    ck_assert_str_eq(stack_of(only_thread(root), 0), "plain_function (in test[1])");
    ck_assert_str_eq(stack_of(only_thread(root), 1), "plain_function (in test[1])");
    ck_assert_int_eq(cJSON_GetArraySize(get_member(only_thread(root), "stringTable")),
                     2); /* a file */
    ck_assert_int_eq(cell_value(only_thread(root), "samples", 2, 0), -1);
    ck_assert_uint_eq(counts.samples, 3);
    ck_assert_uint_eq(counts.processes, 1);
    ck_assert_uint_eq(counts.named, 2);
    cJSON_Delete(root);
    free(capture);
}
END_TEST

START_TEST(an_inlined_function_is_a_frame_of_its_own)
{
    struct thread_text thread = native_thread((uint64_t)(uintptr_t)outer_function());
    char *capture = make_capture(&thread, "null");
    cJSON *root;
    int innermost;

    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    ck_assert_str_eq(stack_of(only_thread(root), 0),
                     "inlined_function (in test[1]) < outer_function (in test[1])");
    innermost = cell_value(only_thread(root), "stackTable",
                           cell_value(only_thread(root), "samples", 0, 0), 1);
    ck_assert_int_gt(cell_value(only_thread(root), "frameTable", innermost, 4), 0);
    for (int frame = 0; frame < 2; frame++) {
        int file = cell_value(only_thread(root), "frameTable", frame, 8);
        ck_assert_int_ge(file, 0);
        ck_assert_ptr_nonnull(strstr(string_at(only_thread(root), file), "test_symbolicate.c"));
    }
    const cJSON *rows = get_member(get_member(only_thread(root), "frameTable"), "data");
    ck_assert(cJSON_IsTrue(cJSON_GetArrayItem(cJSON_GetArrayItem(rows, innermost), 9)));
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetArrayItem(rows, 1 - innermost)), 9);
    cJSON_Delete(root);
    free(capture);
}
END_TEST

/* The address behind a call that is a function's last instruction is already in the next one. */
START_TEST(a_caller_is_looked_up_before_its_return_address)
{
    struct thread_text thread = native_thread((uint64_t)(uintptr_t)plain_function);
    char *capture, callee[64];
    cJSON *root;

    snprintf(callee, sizeof(callee), "\"0x%" PRIx64 "\",", (uint64_t)(uintptr_t)plain_function + 1);
    snprintf(thread.strings, sizeof(thread.strings), "[%s\"0x%" PRIx64 "\"]", callee,
             (uint64_t)(uintptr_t)plain_function);
    thread.frames = "[[0,false,null,null,null,null,2,0],[1,false,null,null,null,null,2,0]]";
    thread.stacks = "[[null,1],[0,0]]";
    thread.samples = "[[1,1,0,7]]";
    capture = make_capture(&thread, "null");
    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    ck_assert_ptr_nonnull(strstr(stack_of(only_thread(root), 0), "plain_function (in test[1]) < "));
    ck_assert_ptr_null(strstr(stack_of(only_thread(root), 0), "< plain_function"));
    cJSON_Delete(root);
    free(capture);
}
END_TEST

START_TEST(labels_and_marker_names_stay)
{
    struct thread_text thread = { .strings = "[\"label\",\"0x10\",\"marker\",\"0x11\"]",
                                  .frames = "[[0,false,null,null,42,null,3,0],"
                                            "[1,false,null,null,null,null,2,0]]",
                                  .stacks = "[[null,0],[0,1]]",
                                  .samples = "[[1,1,0,7],[0,2,0,7]]",
                                  .markers = "[[2,1,null,0,1],[3,2,null,0,1,{\"type\":\"x\"}]]" };
    char *capture = make_capture(&thread, "null");
    cJSON *root;

    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    ck_assert_str_eq(stack_of(only_thread(root), 0), "unmapped 0x10 < label");
    ck_assert_str_eq(stack_of(only_thread(root), 1), "label");
    ck_assert_str_eq(string_at(only_thread(root), cell_value(only_thread(root), "markers", 0, 0)),
                     "marker");
    ck_assert_str_eq(string_at(only_thread(root), cell_value(only_thread(root), "markers", 1, 0)),
                     "0x11");
    ck_assert_uint_eq(counts.markers, 2);
    cJSON_Delete(root);
    free(capture);
}
END_TEST

START_TEST(only_the_root_is_marked_as_symbolicated)
{
    struct thread_text thread = native_thread((uint64_t)(uintptr_t)plain_function);
    char *capture = make_capture(&thread, "null");
    const cJSON *process;
    cJSON *root;

    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    process = cJSON_GetArrayItem(get_member(root, "processes"), 0);
    ck_assert(cJSON_IsTrue(get_member(get_member(root, "meta"), "presymbolicated")));
    ck_assert_ptr_null(cJSON_GetObjectItem(get_member(process, "meta"), "presymbolicated"));
    cJSON_Delete(root);
    free(capture);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.symbolicate");
    TCase *names = tcase_create("names"), *malformed = tcase_create("malformed");

    tcase_add_checked_fixture(names, find_program, NULL);
    tcase_add_test(names, two_addresses_of_a_function_are_one_function);
    tcase_add_test(names, an_inlined_function_is_a_frame_of_its_own);
    tcase_add_test(names, a_caller_is_looked_up_before_its_return_address);
    tcase_add_test(names, labels_and_marker_names_stay);
    tcase_add_test(names, only_the_root_is_marked_as_symbolicated);
    tcase_add_checked_fixture(malformed, find_program, NULL);
    suite_add_tcase(suite, names);
    suite_add_tcase(suite, malformed);
    return run_suite(suite);
}
