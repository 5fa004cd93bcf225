/* child-agent.modules: what the list says of the modules that there are. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child-agent/unwinding/module_maps.h"
#include "tests/unit/modules_scene.h"
#include "tests/unit/run_suite.h"

/* As a thread of the agent does for code that the loader knows nothing of. */
static void look_at_mappings(const void *address)
{
    ck_assert_ptr_null(module_map_find(map, (uint64_t)(uintptr_t)address));
    ck_assert(module_map_wants_mappings(map));
    module_map_read_mappings(map);
    ck_assert(!module_map_wants_mappings(map));
}

/* What the loader says of the object at ADDRESS. */
struct expectation {
    uint64_t address;
    uint64_t load_bias;
    uint64_t header_address; /* of .eh_frame_hdr */
    bool found;
};

static int expect_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct expectation *expectation = context;
    uint64_t header_address = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && expectation->address - start < segment->p_memsz)
            expectation->found = true;
        else if (segment->p_type == PT_GNU_EH_FRAME)
            header_address = start;
    }
    if (!expectation->found)
        return 0;
    expectation->load_bias = info->dlpi_addr;
    expectation->header_address = header_address;
    return 1;
}

static int function_of_the_program(void)
{
    return 1;
}

START_TEST(modules_are_as_the_loader_says)
{
    const void *const addresses[] = { (const void *)&labs, (const void *)&function_of_the_program,
                                      (const void *)&srunner_create };
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        struct expectation expected = { .address = (uint64_t)(uintptr_t)addresses[i] };
        dl_iterate_phdr(expect_object, &expected);
        ck_assert(expected.found);
        const struct module *module = module_of(addresses[i]);
        ck_assert_ptr_nonnull(module);
        ck_assert_uint_eq(module->load_bias, expected.load_bias);
        ck_assert_uint_eq(module->eh_frame_header_address, expected.header_address);
        ck_assert_ptr_nonnull(module->eh_frame_header);
        ck_assert_ptr_nonnull(module->eh_frame);
        ck_assert_int_eq(module->eh_frame_header[0], 1);
    }
}
END_TEST

START_TEST(modules_tell_extent_path_and_build_id)
{
    const struct module *module = module_of((const void *)&labs);
    ck_assert_ptr_nonnull(module);
    ck_assert_uint_le(module->start, (uint64_t)(uintptr_t)&labs);
    ck_assert_uint_gt(module->end, (uint64_t)(uintptr_t)&labs);
    ck_assert_uint_eq(module->build_id_bytes, 20);
    ck_assert_int_eq(module->path[0], '/');
    ck_assert_ptr_nonnull(strstr(module->path, "libc"));
}
END_TEST

START_TEST(the_vdso_is_a_module)
{
    const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
    if (vdso == NULL)
        return;
    const struct module *module = module_of(vdso);
    ck_assert_ptr_nonnull(module);
    ck_assert_str_eq(module->path, "[vdso]");
}
END_TEST

START_TEST(data_is_in_no_module_and_generated_code_is_executable)
{
    void *data = malloc(1);
    char *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(code, MAP_FAILED);
    ck_assert_ptr_null(module_of(data));
    ck_assert(!module_map_is_executable(map, (uint64_t)(uintptr_t)code));
    look_at_mappings(code);
    ck_assert_ptr_null(module_of(code));
    ck_assert(module_map_is_executable(map, (uint64_t)(uintptr_t)code));
    ck_assert(module_map_is_executable(map, (uint64_t)(uintptr_t)&labs));
    ck_assert(!module_map_is_executable(map, (uint64_t)(uintptr_t)data));
    ck_assert(!module_map_is_executable(map, 0));
    ck_assert(!module_map_is_executable(map, UINT64_MAX));
    munmap(code, 4096);
    free(data);
}
END_TEST

START_TEST(a_library_file_mapped_for_its_data_is_no_module)
{
    struct expectation self = { .address = (uint64_t)(uintptr_t)&labs };
    const struct module *libc = module_of((const void *)(uintptr_t)self.address);
    ck_assert_ptr_nonnull(libc);
    int fd = open(libc->path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    void *data = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    ck_assert_ptr_ne(data, MAP_FAILED);
    int before = seen.added;
    module_map_changed(map);
    module_map_generation(map);
    ck_assert_int_eq(seen.added, before);
    munmap(data, 4096);
    close(fd);
}
END_TEST

/* Where in its file the page of ADDRESS is; the mapping's path into PATH. */
static uint64_t offset_in_file(uint64_t address, char path[4096])
{
    struct mapping_list list = { 0 };
    uint64_t offset = 0;
    ck_assert_int_eq(mapping_list_read_maps(&list), 0);
    for (size_t i = 0; i < list.code_count; i++) {
        const struct mapped_code *code = &list.codes[i];
        if (address < code->start || address >= code->end)
            continue;
        offset = code->offset + (address - code->start);
        memcpy(path, code->path, code->path_bytes);
        path[code->path_bytes] = '\0';
    }
    mapping_list_free(&list);
    ck_assert_uint_ne(offset, 0);
    return offset & ~(uint64_t)4095;
}

START_TEST(code_that_is_mapped_a_second_time_is_a_module_of_the_same_file)
{
    uint64_t address = (uint64_t)(uintptr_t)&labs;
    struct module original = *module_of((const void *)(uintptr_t)address);
    char path[4096];
    uint64_t offset = offset_in_file(address, path);
    int fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    void *copy = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)offset);
    ck_assert_ptr_ne(copy, MAP_FAILED);
    uint64_t in_copy = (uint64_t)(uintptr_t)copy + (address & 4095);
    /* Behind the first reading: unknown addresses are not looked up more often than so. */
    module_map_changed(map);
    look_at_mappings((const void *)(uintptr_t)in_copy);
    const struct module *module = module_of((const void *)(uintptr_t)in_copy);
    ck_assert_ptr_nonnull(module);
    ck_assert_uint_eq(module->start, (uint64_t)(uintptr_t)copy);
    ck_assert_uint_eq(module->end, module->start + 4096);
    ck_assert_uint_eq(in_copy - module->load_bias, address - original.load_bias);
    ck_assert_uint_eq(module->build_id_bytes, original.build_id_bytes);
    ck_assert_mem_eq(module->build_id, original.build_id, original.build_id_bytes);
    ck_assert_ptr_null(module->eh_frame);
    int removed = seen.removed;
    munmap(copy, 4096);
    module_map_changed(map);
    module_map_generation(map);
    ck_assert_int_eq(seen.removed, removed + 1);
    close(fd);
}
END_TEST

START_TEST(a_jitdump_that_is_mapped_as_code_is_told_of)
{
    char path[] = "/tmp/jit-test-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "DTiJ", 4), 4);
    void *marker = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    ck_assert_ptr_ne(marker, MAP_FAILED);
    look_at_mappings(marker);
    const struct module *module = module_of(marker);
    ck_assert_ptr_nonnull(module);
    ck_assert_str_eq(module->path, path);
    munmap(marker, 4096);
    close(fd);
    unlink(path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.modules");
    TCase *list = tcase_create("list");
    tcase_add_checked_fixture(list, setup, teardown);
    tcase_add_test(list, modules_are_as_the_loader_says);
    tcase_add_test(list, modules_tell_extent_path_and_build_id);
    tcase_add_test(list, the_vdso_is_a_module);
    tcase_add_test(list, data_is_in_no_module_and_generated_code_is_executable);
    tcase_add_test(list, a_library_file_mapped_for_its_data_is_no_module);
    tcase_add_test(list, code_that_is_mapped_a_second_time_is_a_module_of_the_same_file);
    tcase_add_test(list, a_jitdump_that_is_mapped_as_code_is_told_of);
    suite_add_tcase(suite, list);
    return run_suite(suite);
}
