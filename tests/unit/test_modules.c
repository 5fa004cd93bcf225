/* The list of modules: the text of mappings, ELF images, libraries that come and go. */
#include <check.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child-agent/guest/process_memory.h"
#include "child-agent/unwinding/module_elf.h"
#include "child-agent/unwinding/module_maps.h"
#include "child-agent/unwinding/modules.h"

static struct module_map *map;
static struct {
    int added, removed;
    char last_added[256], last_removed[256];
} seen;

static void on_added(const struct module *module, void *context)
{
    ck_assert_ptr_eq(context, &seen);
    seen.added++;
    strncpy(seen.last_added, module->path, sizeof(seen.last_added) - 1);
}

static void on_removed(const struct module *module, void *context)
{
    ck_assert_ptr_eq(context, &seen);
    seen.removed++;
    strncpy(seen.last_removed, module->path, sizeof(seen.last_removed) - 1);
}

static void setup(void)
{
    const struct module_events events = { .added = on_added,
                                          .removed = on_removed,
                                          .context = &seen };
    memset(&seen, 0, sizeof(seen));
    ck_assert_int_eq(module_map_create(&events, &map), 0);
}

static void teardown(void)
{
    module_map_destroy(map);
}

/* As a thread of the agent does for code that the loader knows nothing of. */
static void look_at_mappings(const void *address)
{
    ck_assert_ptr_null(module_map_find(map, (uint64_t)(uintptr_t)address));
    ck_assert(module_map_wants_mappings(map));
    module_map_read_mappings(map);
    ck_assert(!module_map_wants_mappings(map));
}

static const struct module *module_of(const void *address)
{
    return module_map_find(map, (uint64_t)(uintptr_t)address);
}

/* --- Text --- */

START_TEST(lines_are_parsed)
{
    static const char text[] =
        "55820807e000-558208080000 r--p 00000000 fe:00 247134                     /usr/bin/cat\n"
        "558208080000-558208085000 r-xp 00002000 fe:00 247134                     /usr/bin/cat\n"
        "this is no mapping\n"
        "7f0000000000-7f0000001000 r-xp 00000000 00:00 0 \n"
        "7f0000002000-7f0000003000 r--p 00000000 103:02 9    /a name/with spaces (deleted)\n"
        "7fff00000000-7fff00001000 r-xp 00000000 00:00 0                          [vdso]";
    const char *cursor = text, *end = text + sizeof(text) - 1;
    struct mapping mapping;
    ck_assert(mapping_parse(&cursor, end, &mapping));
    ck_assert_uint_eq(mapping.start, 0x55820807e000);
    ck_assert_uint_eq(mapping.end, 0x558208080000);
    ck_assert(!mapping.is_executable);
    ck_assert_uint_eq(mapping.inode, 247134);
    ck_assert_uint_eq(mapping.device, 0xfeULL << 32);
    ck_assert(mapping.path_bytes == 12 && memcmp(mapping.path, "/usr/bin/cat", 12) == 0);
    ck_assert(mapping_parse(&cursor, end, &mapping));
    ck_assert(mapping.is_executable);
    ck_assert_uint_eq(mapping.offset, 0x2000);
    ck_assert(mapping_parse(&cursor, end, &mapping));
    ck_assert_uint_eq(mapping.start, 0x7f0000000000);
    ck_assert_uint_eq(mapping.path_bytes, 0);
    ck_assert(mapping_parse(&cursor, end, &mapping));
    ck_assert_uint_eq(mapping.path_bytes, strlen("/a name/with spaces"));
    ck_assert(mapping_parse(&cursor, end, &mapping));
    ck_assert(mapping.path_bytes == 6 && memcmp(mapping.path, "[vdso]", 6) == 0);
    ck_assert(!mapping_parse(&cursor, end, &mapping));
}
END_TEST

START_TEST(images_and_executable_ranges_are_gathered)
{
    static char text[] = "1000-2000 r--p 00000000 fe:00 1 /one\n"
                         "2000-3000 r-xp 00001000 fe:00 1 /one\n"
                         "3000-4000 r-xp 00000000 00:00 0 \n"
                         "5000-6000 r-xp 00000000 00:00 0 \n"
                         "7000-8000 rw-p 00000000 00:00 0 [heap]\n"
                         "9000-a000 r--p 00000000 fe:00 2 /two\n";
    struct mapping_list list = { .text = text, .text_bytes = sizeof(text) - 1 };
    ck_assert_int_eq(mapping_list_parse(&list), 0);
    ck_assert_uint_eq(list.image_count, 2);
    ck_assert_uint_eq(list.images[0].header_address, 0x1000);
    ck_assert_uint_eq(list.images[1].header_address, 0x9000);
    ck_assert(list.images[0].has_code);
    ck_assert(!list.images[1].has_code);
    ck_assert_uint_eq(list.executable_count, 2);
    ck_assert_uint_eq(list.executable[0].start, 0x2000);
    ck_assert_uint_eq(list.executable[0].end, 0x4000);
    ck_assert(!mapping_list_is_executable(&list, 0x1fff));
    ck_assert(mapping_list_is_executable(&list, 0x2000));
    ck_assert(mapping_list_is_executable(&list, 0x3fff));
    ck_assert(!mapping_list_is_executable(&list, 0x4000));
    list.text = NULL; /* not from mmap */
    mapping_list_free(&list);
}
END_TEST

START_TEST(any_text_is_survived)
{
    static const char letters[] = "0123456789abcdef-:/ rwxp\n[]";
    uint64_t random = 88172645463325252;
    for (int round = 0; round < 20000; round++) {
        char text[100];
        for (size_t i = 0; i < sizeof(text); i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            text[i] = letters[random % (sizeof(letters) - 1)];
        }
        const char *cursor = text;
        struct mapping mapping;
        while (mapping_parse(&cursor, text + sizeof(text), &mapping))
            ck_assert(mapping.path + mapping.path_bytes <= text + sizeof(text));
    }
}
END_TEST

/* --- Memory --- */

START_TEST(unmapped_memory_is_an_error_and_not_a_crash)
{
    char *pages = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char bytes[8192];
    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(process_memory_read((uint64_t)(uintptr_t)pages, bytes, 8192), 0);
    munmap(pages + 4096, 4096);
    ck_assert_int_eq(process_memory_read((uint64_t)(uintptr_t)pages, bytes, 8192), -EFAULT);
    ck_assert_int_eq(process_memory_read(0, bytes, 1), -EFAULT);
    ck_assert_int_eq(process_memory_read(UINT64_MAX - 3, bytes, 8), -EFAULT);
    munmap(pages, 4096);
}
END_TEST

/* --- ELF images --- */

START_TEST(damaged_images_are_survived)
{
    const size_t bytes = 3 * 4096;
    uint8_t *image = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t random = 88172645463325252;
    ck_assert_ptr_ne(image, MAP_FAILED);
    const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
    if (vdso == NULL)
        return; /* a kernel without one */
    for (int round = 0; round < 20000; round++) {
        struct elf_image elf;
        memcpy(image, vdso, 4096);
        for (int i = round % 30; i > 0; i--) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            image[random % 600] = (uint8_t)(random >> 32);
        }
        int error = elf_image_read((uint64_t)(uintptr_t)image, &elf);
        if (round % 30 == 0)
            ck_assert_int_eq(error, 0);
        if (error == 0)
            ck_assert_uint_lt(elf.start, elf.end);
    }
    munmap(image, bytes);
}
END_TEST

START_TEST(what_is_no_image_is_refused)
{
    static uint8_t zeroes[4096];
    struct elf_image elf;
    ck_assert_int_eq(elf_image_read((uint64_t)(uintptr_t)zeroes, &elf), -ENOEXEC);
    ck_assert_int_eq(elf_image_read(16, &elf), -EFAULT);
}
END_TEST

/* --- The list --- */

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

/* --- One at a time --- */

static void *enter_elsewhere(void *context)
{
    if (!module_map_enter(map))
        return NULL;
    module_map_leave(map);
    return context;
}

/* Whether another thread can enter at this moment. */
static bool can_be_entered(void)
{
    pthread_t thread;
    void *entered;
    ck_assert_int_eq(pthread_create(&thread, NULL, enter_elsewhere, map), 0);
    ck_assert_int_eq(pthread_join(thread, &entered), 0);
    return entered != NULL;
}

START_TEST(one_at_a_time_is_in_the_map)
{
    ck_assert(module_map_enter(map));
    ck_assert(!module_map_enter(map)); /* as a handler that interrupts who is in */
    ck_assert(!can_be_entered());
    ck_assert_ptr_nonnull(module_of((const void *)&labs));
    ck_assert(!can_be_entered());
    module_map_leave(map);
    ck_assert(can_be_entered());
    ck_assert(module_map_enter(map));
    module_map_leave(map);
}
END_TEST

static volatile sig_atomic_t has_entered;

static void enter_in_handler(int number)
{
    (void)number;
    has_entered = module_map_enter(map);
}

START_TEST(a_handler_does_not_enter_what_it_interrupted)
{
    struct sigaction action = { .sa_handler = enter_in_handler };
    sigaction(SIGUSR1, &action, NULL);
    has_entered = true;
    ck_assert(module_map_enter(map));
    raise(SIGUSR1);
    ck_assert(!has_entered);
    ck_assert(!can_be_entered());
    module_map_leave(map);
}
END_TEST

static struct {
    _Atomic int inside, entered;
    int sum; /* of those who were in */
} crowd;

static void *enter_often(void *context)
{
    for (int i = 0; i < 2000; i++) {
        if (!module_map_enter(map))
            continue;
        if (atomic_fetch_add(&crowd.inside, 1) != 0)
            return NULL;
        crowd.sum++;
        atomic_fetch_add(&crowd.entered, 1);
        atomic_fetch_sub(&crowd.inside, 1);
        module_map_leave(map);
    }
    return context;
}

START_TEST(threads_are_in_one_after_the_other)
{
    pthread_t threads[4];
    memset(&crowd, 0, sizeof(crowd));
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, enter_often, map), 0);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        ck_assert_ptr_eq(result, map);
    }
    ck_assert_int_gt(crowd.entered, 0);
    ck_assert_int_eq(crowd.sum, crowd.entered);
}
END_TEST

static int after_fork(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(module_map_after_fork_child(map) ? 0 : 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(a_forked_child_trusts_only_what_nobody_was_in)
{
    ck_assert_int_eq(after_fork(), 0);
    ck_assert(module_map_enter(map));
    ck_assert_int_eq(after_fork(), 1);
    module_map_leave(map);
    ck_assert_int_eq(after_fork(), 0);
    ck_assert(module_map_enter(map));
    ck_assert(!module_map_after_fork_child(map)); /* and nobody is in any more */
    ck_assert(can_be_entered());
}
END_TEST

/* --- Telling --- */

static struct {
    bool is_willing, is_told;
    int begun, ended, added;
} listener;

static bool begin_to_tell(void *context)
{
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
    TCase *parts = tcase_create("parts");
    tcase_add_test(parts, lines_are_parsed);
    tcase_add_test(parts, images_and_executable_ranges_are_gathered);
    tcase_add_test(parts, any_text_is_survived);
    tcase_add_test(parts, unmapped_memory_is_an_error_and_not_a_crash);
    tcase_add_test(parts, damaged_images_are_survived);
    tcase_add_test(parts, what_is_no_image_is_refused);
    suite_add_tcase(suite, parts);
    TCase *list = tcase_create("list");
    tcase_add_checked_fixture(list, setup, teardown);
    tcase_add_test(list, one_at_a_time_is_in_the_map);
    tcase_add_test(list, a_handler_does_not_enter_what_it_interrupted);
    tcase_add_test(list, threads_are_in_one_after_the_other);
    tcase_add_test(list, a_forked_child_trusts_only_what_nobody_was_in);
    tcase_add_test(list, the_list_changes_only_when_that_can_be_told);
    tcase_add_test(list, what_was_announced_is_behind_until_it_was_read);
    tcase_add_test(list, another_build_in_the_place_of_a_library_is_another_one);
    tcase_add_test(list, a_library_is_known_as_soon_as_its_code_is_met);
    tcase_add_test(list, modules_are_as_the_loader_says);
    tcase_add_test(list, modules_tell_extent_path_and_build_id);
    tcase_add_test(list, the_vdso_is_a_module);
    tcase_add_test(list, data_is_in_no_module_and_generated_code_is_executable);
    tcase_add_test(list, a_library_that_comes_and_goes_is_told_of);
    tcase_add_test(list, an_announcement_of_nothing_changes_nothing);
    tcase_add_test(list, a_library_file_mapped_for_its_data_is_no_module);
    tcase_add_test(list, code_that_is_mapped_a_second_time_is_a_module_of_the_same_file);
    tcase_add_test(list, a_jitdump_that_is_mapped_as_code_is_told_of);
    suite_add_tcase(suite, list);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
