/* profctl.symbols.symbol_file: whose file is taken for a library without a build id. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profctl/symbols/symbol_file.h"
#include "tests/unit/run_suite.h"

static const char library[] = "/profd-test-library.so"; /* in the root of a child alone */
static char root[] = "/tmp/profd-root.XXXXXX";
static char library_path[sizeof(root) + sizeof(library)];

static void set_up(void)
{
    ck_assert_ptr_nonnull(mkdtemp(root));
    stpcpy(stpcpy(library_path, root), library);
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int to = open(library_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    struct stat status;
    ck_assert_int_eq(fstat(from, &status), 0);
    for (ssize_t left = status.st_size, sent; left > 0; left -= sent) {
        sent = sendfile(to, from, NULL, (size_t)left);
        ck_assert_int_gt(sent, 0);
    }
    close(from);
    close(to);
}

static void tear_down(void)
{
    unlink(library_path);
    rmdir(root);
}

/* A child in the root, which has the library in memory or not; 0: it may not go there. */
static pid_t begin_child(bool maps_it)
{
    int told[2];
    char may = 0;
    ck_assert_int_eq(pipe2(told, O_CLOEXEC), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(library_path, O_RDONLY | O_CLOEXEC);
        may = !maps_it || mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED;
        may = may && chroot(root) == 0;
        if (write(told[1], &may, 1) == 1)
            pause();
        _exit(0);
    }
    ck_assert_int_eq(read(told[0], &may, 1), 1);
    close(told[0]);
    close(told[1]);
    if (may)
        return child;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return 0;
}

static int open_library_of(bool maps_it)
{
    struct symbol_file file = { 0 };
    pid_t child = begin_child(maps_it);
    if (child == 0)
        return 1;
    int error = symbol_file_open_itself(library, "", child, &file);
    symbol_file_close(&file);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return error;
}

START_TEST(the_file_of_a_process_that_has_it_is_taken)
{
    int error = open_library_of(true);
    ck_assert(error == 0 || error == 1);
}
END_TEST

/* Its id may have been that of another one. */
START_TEST(the_file_of_a_process_that_has_it_not_is_left)
{
    int error = open_library_of(false);
    ck_assert(error == -ENOENT || error == 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.symbols.symbol_file");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, the_file_of_a_process_that_has_it_is_taken);
    tcase_add_test(all, the_file_of_a_process_that_has_it_not_is_left);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
