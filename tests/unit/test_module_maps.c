/* child-agent.module_maps, module_elf, process_memory: the text of mappings, ELF images, and memory
 * that may not be there. */
#include <check.h>
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "child-agent/guest/process_memory.h"
#include "child-agent/unwinding/module_elf.h"
#include "child-agent/unwinding/module_maps.h"
#include "tests/unit/run_suite.h"

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

int main(void)
{
    Suite *suite = suite_create("child-agent.module_maps");
    TCase *parts = tcase_create("parts");
    tcase_add_test(parts, lines_are_parsed);
    tcase_add_test(parts, images_and_executable_ranges_are_gathered);
    tcase_add_test(parts, any_text_is_survived);
    tcase_add_test(parts, unmapped_memory_is_an_error_and_not_a_crash);
    tcase_add_test(parts, damaged_images_are_survived);
    tcase_add_test(parts, what_is_no_image_is_refused);
    suite_add_tcase(suite, parts);
    return run_suite(suite);
}
