/* Passwords and tokens in files: whole, and read again when a server refuses them. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profctl/http/secret_file.h"
#include "tests/unit/run_suite.h"

static void write_secret(const char *path, size_t bytes, char byte)
{
    FILE *file = fopen(path, "w");

    for (size_t i = 0; i < bytes; i++)
        fputc(byte, file);
    fputs("\nmore", file);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(secrets_are_read_again_when_they_are_refused)
{
    char path[] = "/tmp/profd-test.XXXXXX";
    struct secret_header token = { path, "the token", "Bearer: ", "" };
    struct http_answer refused = { .outcome = HTTP_AWAY, .status = 401, .text = "no" };
    struct http_answer away = { .outcome = HTTP_AWAY, .status = 429 };
    struct failure failure;

    close(mkstemp(path));
    write_secret(path, 3, 'a');
    ck_assert(secret_header_read(&token, &failure));
    ck_assert_str_eq(token.text, "Bearer: aaa");
    ck_assert(!secret_header_renew(&token, &refused));
    write_secret(path, 2, 'b');
    ck_assert(!secret_header_renew(&token, &away));
    ck_assert_str_eq(token.text, "Bearer: aaa");
    ck_assert(secret_header_renew(&token, &refused));
    ck_assert_str_eq(token.text, "Bearer: bb");
    ck_assert_str_eq(refused.text, "no");
    unlink(path);
    ck_assert(!secret_header_renew(&token, &refused));
    ck_assert_str_eq(token.text, "Bearer: bb");
    ck_assert_ptr_nonnull(strstr(refused.text, "cannot read the token"));
}
END_TEST

START_TEST(secrets_are_whole_or_refused)
{
    char path[] = "/tmp/profd-test.XXXXXX";
    struct secret_header token = { path, "the token", "Bearer: ", "" };
    struct failure failure;

    close(mkstemp(path));
    write_secret(path, SECRET_BYTES - 1, 'a');
    ck_assert(secret_header_read(&token, &failure));
    ck_assert_uint_eq(strlen(token.text), SECRET_BYTES - 1 + strlen("Bearer: "));
    write_secret(path, SECRET_BYTES, 'a');
    ck_assert(!secret_header_read(&token, &failure));
    ck_assert_ptr_nonnull(strstr(failure.text, "the token in /tmp/profd-test."));
    unlink(path);
}
END_TEST

/* As an exporter may be given; open() would wait for somebody who writes. */
START_TEST(what_would_never_end_is_refused)
{
    char folder[] = "/tmp/profd-test.XXXXXX", fifo[64];
    struct secret_header token = { fifo, "the token", "Bearer: ", "" };
    struct failure failure;
    const char *const others[] = { "/dev/zero", "/dev/ptmx", folder };

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    ck_assert(!secret_header_read(&token, &failure));
    ck_assert_ptr_nonnull(strstr(failure.text, "nobody writes"));
    int fd = open(fifo, O_RDWR);
    ck_assert(!secret_header_read(&token, &failure));
    ck_assert_ptr_nonnull(strstr(failure.text, "nothing came"));
    close(fd);
    unlink(fifo);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        token.path = others[i];
        ck_assert(!secret_header_read(&token, &failure));
        ck_assert_ptr_nonnull(strstr(failure.text, "not a regular file"));
    }
    rmdir(folder);
}
END_TEST

/* As <(command) of a shell is. */
START_TEST(a_pipe_that_somebody_writes_to_is_read)
{
    char path[32];
    struct secret_header token = { path, "the token", "Bearer: ", "" };
    struct failure failure;
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    if (fork() == 0) {
        usleep(50 * 1000);
        _exit(write(ends[1], "secret\nmore", 11) == 11 ? 0 : 1);
    }
    close(ends[1]);
    ck_assert(secret_header_read(&token, &failure));
    ck_assert_str_eq(token.text, "Bearer: secret");
    close(ends[0]);
    wait(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.secret_file");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, secrets_are_read_again_when_they_are_refused);
    tcase_add_test(claims, secrets_are_whole_or_refused);
    tcase_add_test(claims, what_would_never_end_is_refused);
    tcase_add_test(claims, a_pipe_that_somebody_writes_to_is_read);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
