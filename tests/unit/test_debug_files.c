/* Servers of debug information that do not answer. */
#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "profctl/symbols/debug_files.h"
#include "tests/unit/run_suite.h"

/* A port that takes connections, and says nothing. */
static int listen_in_silence(char urls[64])
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, length), 0);
    ck_assert_int_eq(listen(fd, 64), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    snprintf(urls, 64, "http://127.0.0.1:%u", ntohs(address.sin_port));
    return fd;
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

START_TEST(all_files_together_wait_no_longer_than_one)
{
    char urls[64], cache[] = "/tmp/test_debug_files.XXXXXX", build_id[41];
    int fd = listen_in_silence(urls);

    ck_assert_ptr_nonnull(mkdtemp(cache));
    ck_assert_int_eq(setenv("DEBUGINFOD_URLS", urls, 1), 0);
    ck_assert_int_eq(setenv("DEBUGINFOD_CACHE_PATH", cache, 1), 0);
    ck_assert_int_eq(setenv("DEBUGINFOD_MAXTIME", "1", 1), 0);
    int error = debug_files_allow_servers(false);
    if (error == 0) {
        double begun_s = now_s();
        ck_assert_int_eq(debug_files_begin(), 0);
        for (unsigned i = 0; i < 5; i++) {
            snprintf(build_id, sizeof(build_id), "%040x", 0xabc0u + i);
            ck_assert_int_eq(debug_file_open(build_id), -ENOENT);
        }
        ck_assert_double_lt(now_s() - begun_s, 3);
    } else {
        ck_assert_int_eq(error, -ELIBACC); /* not installed here */
    }
    close(fd);
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", cache);
    ck_assert_int_eq(system(command), 0);
    _exit(EXIT_SUCCESS); /* past the check for leaks: libdebuginfod forgets a file of its own */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.debug_files");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 30);
    tcase_add_exit_test(all, all_files_together_wait_no_longer_than_one, EXIT_SUCCESS);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
