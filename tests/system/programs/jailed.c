/* jailed FOLDER: makes a thread, goes where no libraries are and no file can be opened, sets a
 * filter of system calls that lets all through, and burns. Exits with 5. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static void *do_nothing(void *argument)
{
    return argument;
}

int main(int argc, char **argv)
{
    struct sock_filter let_through = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = { 1, &let_through };
    const struct rlimit nothing = { 0, 0 };
    pthread_t thread;
    if (argc < 2 || pthread_create(&thread, NULL, do_nothing, NULL) != 0 ||
        pthread_join(thread, NULL) != 0 || chroot(argv[1]) < 0 || chdir("/") < 0 ||
        setrlimit(RLIMIT_FSIZE, &nothing) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
        return 1;
    burn_outer(0.3);
    return 5;
}
