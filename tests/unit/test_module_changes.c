/* child-agent.modules: libraries that come and go, and who is told of it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "child-agent/unwinding/modules.h"
#include "tests/unit/modules_scene.h"
#include "tests/unit/run_suite.h"

static struct {
    bool is_willing, is_told;
    int begun, ended, added;
} listener;

static bool begin_to_tell(uint64_t change_ns, void *context)
{
    (void)change_ns;
    (void)context;
    ck_assert(!listener.is_told);
    listener.begun++;
    listener.is_told = listener.is_willing;
    return listener.is_willing;
}

static void add_told(const struct module *module, void *context)
{
    (void)module, (void)context;
    ck_assert(listener.is_told);
    listener.added++;
}

static void end_telling(void *context)
{
    (void)context;
    ck_assert(listener.is_told);
    listener.is_told = false;
    listener.ended++;
}

START_TEST(the_list_changes_only_when_that_can_be_told)
{
    const struct module_events events = { .begin = begin_to_tell,
                                          .added = add_told,
                                          .end = end_telling };
    memset(&listener, 0, sizeof(listener));
    module_map_destroy(map);
    ck_assert_int_eq(module_map_create(&events, &map), 0);
    ck_assert(module_map_is_behind(map));
    ck_assert_ptr_null(module_of((const void *)&labs));
    ck_assert_int_gt(listener.begun, 0);
    ck_assert_int_eq(listener.ended, 0);
    ck_assert_int_eq(listener.added, 0);
    ck_assert(module_map_is_behind(map));
    listener.is_willing = true;
    ck_assert_ptr_nonnull(module_of((const void *)&labs));
    ck_assert_int_eq(listener.ended, 1);
    ck_assert_int_gt(listener.added, 2);
    ck_assert(!module_map_is_behind(map));
}
END_TEST

START_TEST(what_was_announced_is_behind_until_it_was_read)
{
    ck_assert(module_map_is_behind(map)); /* nothing was read yet */
    uint64_t generation = module_map_generation(map);
    ck_assert(!module_map_is_behind(map));
    module_map_changed(map);
    ck_assert(module_map_is_behind(map));
    ck_assert(module_map_is_behind(map));
    ck_assert_uint_eq(module_map_generation(map), generation);
    ck_assert(!module_map_is_behind(map));
}
END_TEST

static const char later_library[] = "libthread_db.so.1"; /* of libc, and in no program */

START_TEST(a_library_that_comes_and_goes_is_told_of)
{
    ck_assert_ptr_nonnull(module_of((const void *)&labs));
    int before = seen.added;
    ck_assert_int_gt(before, 2);
    uint64_t generation = module_map_generation(map);

    void *library = dlopen(later_library, RTLD_LAZY);
    ck_assert_ptr_nonnull(library);
    uint64_t function = (uint64_t)(uintptr_t)dlsym(library, "td_init");
    module_map_changed(map);
    const struct module *module = module_map_find(map, function);
    ck_assert_ptr_nonnull(module);
    ck_assert_int_eq(seen.added, before + 1);
    ck_assert_ptr_nonnull(strstr(seen.last_added, later_library));
    ck_assert_uint_gt(module_map_generation(map), generation);
    generation = module_map_generation(map);
    /* What can be unloaded is read from a copy. */
    ck_assert_ptr_nonnull(module->eh_frame);
    ck_assert_uint_ne((uint64_t)(uintptr_t)module->eh_frame, module->eh_frame_address);
    ck_assert_mem_eq(module->eh_frame_header, (void *)(uintptr_t)module->eh_frame_header_address,
                     module->eh_frame_header_bytes);

    ck_assert_int_eq(dlclose(library), 0);
    module_map_changed(map);
    ck_assert_uint_gt(module_map_generation(map), generation);
    ck_assert_int_eq(seen.removed, 1);
    ck_assert_ptr_nonnull(strstr(seen.last_removed, later_library));
    ck_assert_ptr_null(module_map_find(map, function));
}
END_TEST

/* A library with the build id ID below PATH; its code is that of another build, too. */
static void build_library(const char *path, const char *id)
{
    char command[512];
    snprintf(command, sizeof(command),
             "echo 'int is_%s(void) { return %d; }' | cc -shared -fPIC -xc - -o %s "
             "-Wl,--build-id=0x%s",
             id, id[0], path, id);
    ck_assert_int_eq(system(command), 0);
}

/* As a server does that loads its plugins again. */
START_TEST(another_build_in_the_place_of_a_library_is_another_one)
{
    char path[] = "/tmp/test-modules-XXXXXX";
    close(mkstemp(path));
    build_library(path, "aaaaaaaa");
    void *library = dlopen(path, RTLD_NOW);
    ck_assert_ptr_nonnull(library);
    void *function = dlsym(library, "is_aaaaaaaa");
    module_map_changed(map);
    ck_assert_int_eq(module_of(function)->build_id[0], 0xaa);
    dlclose(library);
    unlink(path);
    build_library(path, "bbbbbbbb");
    library = dlopen(path, RTLD_NOW);
    ck_assert_ptr_nonnull(library);
    module_map_changed(map);
    ck_assert_int_eq(module_of(dlsym(library, "is_bbbbbbbb"))->build_id[0], 0xbb);
    ck_assert_str_eq(seen.last_removed, path);
    dlclose(library);
    unlink(path);
}
END_TEST

START_TEST(a_library_is_known_as_soon_as_its_code_is_met)
{
    ck_assert_ptr_nonnull(module_of((void *)&getauxval)); /* the list was read just now */
    for (int round = 0; round < 3; round++) {
        void *library = dlopen(later_library, RTLD_LAZY);
        ck_assert_ptr_nonnull(library);
        const struct module *module = module_of(dlsym(library, "td_init"));
        ck_assert_ptr_nonnull(module);
        ck_assert_ptr_nonnull(strstr(module->path, later_library));
        dlclose(library);
        module_map_changed(map);
        ck_assert_ptr_nonnull(module_of((void *)&getauxval));
    }
}
END_TEST

START_TEST(an_announcement_of_nothing_changes_nothing)
{
    ck_assert_ptr_nonnull(module_of((const void *)&labs));
    uint64_t generation = module_map_generation(map);
    int before = seen.added;
    module_map_changed(map);
    ck_assert_uint_eq(module_map_generation(map), generation);
    ck_assert_int_eq(seen.added, before);
    ck_assert_int_eq(seen.removed, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.module_changes");
    TCase *list = tcase_create("list");
    tcase_add_checked_fixture(list, setup, teardown);
    tcase_add_test(list, the_list_changes_only_when_that_can_be_told);
    tcase_add_test(list, what_was_announced_is_behind_until_it_was_read);
    tcase_add_test(list, another_build_in_the_place_of_a_library_is_another_one);
    tcase_add_test(list, a_library_is_known_as_soon_as_its_code_is_met);
    tcase_add_test(list, a_library_that_comes_and_goes_is_told_of);
    tcase_add_test(list, an_announcement_of_nothing_changes_nothing);
    suite_add_tcase(suite, list);
    return run_suite(suite);
}
