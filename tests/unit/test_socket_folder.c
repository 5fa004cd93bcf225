/* ipc.socket_file: the default folder, as a user who surely has none. Only root can become one. */
#include <errno.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/socket_file_scene.h"

enum { STRANGER = 54321 };
static const char stranger_folder[] = "/tmp/profd-54321";

static bool become_stranger(void)
{
    if (geteuid() != 0)
        return false;
    snprintf(path, sizeof(path), "%s/profd.sock", stranger_folder);
    snprintf(lock_path, sizeof(lock_path), "%s.lock", path);
    unlink(path); /* what a failed run left */
    unlink(lock_path);
    rmdir(stranger_folder);
    ck_assert_int_eq(seteuid(STRANGER), 0);
    return true;
}

static void become_root_again(void)
{
    ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(rmdir(stranger_folder), 0);
}

START_TEST(the_default_folder_is_made_for_its_user_alone)
{
    struct socket_file file;
    struct stat status;
    if (!become_stranger())
        return;
    ck_assert_int_eq(try_to_listen(&file), 0);
    ck_assert_int_eq(stat(stranger_folder, &status), 0);
    ck_assert_uint_eq(status.st_mode & 07777, 0700);
    ck_assert_uint_eq(status.st_uid, STRANGER);
    socket_file_close(&file);
    become_root_again();
}
END_TEST

START_TEST(a_default_folder_that_others_can_write_to_is_refused)
{
    struct socket_file file;
    if (!become_stranger())
        return;
    ck_assert_int_eq(mkdir(stranger_folder, 0700), 0);
    ck_assert_int_eq(chmod(stranger_folder, 0770), 0);
    ck_assert_int_eq(try_to_listen(&file), -EPERM);
    become_root_again();
}
END_TEST

START_TEST(a_default_folder_of_somebody_else_is_refused)
{
    struct socket_file file;
    if (!become_stranger())
        return;
    ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(mkdir(stranger_folder, 0755), 0);
    ck_assert_int_eq(seteuid(STRANGER), 0);
    ck_assert_int_eq(try_to_listen(&file), -EPERM);
    become_root_again();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.socket_folder");

    TCase *default_folder = tcase_create("default folder");
    tcase_add_test(default_folder, the_default_folder_is_made_for_its_user_alone);
    tcase_add_test(default_folder, a_default_folder_that_others_can_write_to_is_refused);
    tcase_add_test(default_folder, a_default_folder_of_somebody_else_is_refused);
    suite_add_tcase(s, default_folder);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
