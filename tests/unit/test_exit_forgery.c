/* daemon.exit_store: arenas that lie. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "daemon/memory/compact_arena.h"
#include "tests/unit/exit_store_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(what_is_no_arena_is_refused)
{
    int fd = memfd_create("none", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
    ck_assert_int_eq(exit_store_keep(&store, fd, lease_of(0), END_NS, on_kept, NULL), -EPROTO);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1); /* it was taken over */
    ck_assert_uint_eq(store.failed_records, 1);
}
END_TEST

/* A true arena's bytes in FD, which is no sealed file of memory. */
static void refuses_arena_in(int fd)
{
    static char bytes[1 << 16];
    int arena_fd = make_arena(1, 0);
    struct compact_plan plan;
    struct stat status;

    ck_assert_int_eq(fstat(arena_fd, &status), 0);
    ck_assert_int_eq(pread(arena_fd, bytes, sizeof(bytes), 0), sizeof(bytes));
    ck_assert_int_eq(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
    ck_assert_int_eq(ftruncate(fd, status.st_size), 0);
    ck_assert_int_eq(compact_plan_read(fd, &plan), -EPROTO);
    close(arena_fd);
    close(fd);
}

START_TEST(an_arena_that_can_shrink_or_block_is_refused)
{
    refuses_arena_in(memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    refuses_arena_in(open("/proc/self/cwd", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
}
END_TEST

/* Headers that lie. */
static const struct {
    const char *name;
    size_t offset, bytes;
    uint64_t value;
    int expect; /* at once */
    int kept;   /* later */
} lies[] = {
#define FIELD(field, value, expect, kept)                                                          \
    {                                                                                              \
#field, offsetof(struct arena_header, field), sizeof(((struct arena_header *)0)->field),   \
            value, expect, kept                                                                    \
    }
    FIELD(magic, 1, -EPROTO, 0),
    FIELD(version, 99, -EPROTO, 0),
    FIELD(chunk_bytes, 4096, -EPROTO, 0),
    FIELD(dictionary_offset, 0, -EPROTO, 0),
    FIELD(dictionary_bytes, UINT32_MAX, -EPROTO, 0),
    FIELD(chunks_offset, UINT64_MAX, -EPROTO, 0),
    FIELD(chunks_offset, 1ULL << 40, -EPROTO, 0),
    FIELD(chunk_count, UINT32_MAX, -EPROTO, 0),
    FIELD(chunk_high_water, UINT64_MAX, 0, 0),
    FIELD(dictionary_used_bytes, UINT32_MAX, 0, -EFBIG),
};

START_TEST(a_header_that_lies_harms_nobody)
{
    int fd = make_arena(2, 0);
    ck_assert_int_eq(
        pwrite(fd, &lies[_i].value, lies[_i].bytes, (off_t)lies[_i].offset) < 0 ? -errno : 0, 0);
    int error = exit_store_keep(&store, fd, lease_of(0), END_NS, on_kept, NULL);
    ck_assert_msg(error == lies[_i].expect, "%s: %d", lies[_i].name, error);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, lies[_i].kept);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.exit_forgery");
    TCase *exits = tcase_create("exits");
    tcase_add_checked_fixture(exits, set_up, tear_down);
    tcase_add_test(exits, what_is_no_arena_is_refused);
    tcase_add_test(exits, an_arena_that_can_shrink_or_block_is_refused);
    tcase_add_loop_test(exits, a_header_that_lies_harms_nobody, 0,
                        (int)(sizeof(lies) / sizeof(lies[0])));
    suite_add_tcase(suite, exits);
    return run_suite(suite);
}
