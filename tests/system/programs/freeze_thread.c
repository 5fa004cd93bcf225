/* freeze_thread PID NAME: stops the thread of process PID that is called NAME, alone, as if it
 * hung. It says "frozen" when that is so; the thread goes on when this program ends. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int has_name(const char *pid, const char *tid, const char *name)
{
    char path[300], found[32] = "";

    snprintf(path, sizeof(path), "/proc/%s/task/%s/comm", pid, tid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    int is_read = fgets(found, sizeof(found), file) != NULL;
    fclose(file);
    found[strcspn(found, "\n")] = '\0';
    return is_read && strcmp(found, name) == 0;
}

/* 0: there is none. */
static pid_t find_thread(const char *pid, const char *name)
{
    char folder[64];
    struct dirent *entry;
    pid_t thread = 0;

    snprintf(folder, sizeof(folder), "/proc/%s/task", pid);
    DIR *directory = opendir(folder);
    while (directory != NULL && thread == 0 && (entry = readdir(directory)) != NULL) {
        if (has_name(pid, entry->d_name, name))
            thread = (pid_t)strtol(entry->d_name, NULL, 10);
    }
    if (directory != NULL)
        closedir(directory);
    return thread;
}

int main(int argc, char **argv)
{
    int status;

    if (argc != 3)
        return 2;
    pid_t thread = find_thread(argv[1], argv[2]);
    if (thread == 0 || ptrace(PTRACE_SEIZE, thread, NULL, NULL) < 0 ||
        ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) < 0 ||
        waitpid(thread, &status, __WALL) != thread) {
        perror("freeze_thread");
        return 1;
    }
    puts("frozen");
    fflush(stdout);
    pause();
    return 0;
}
