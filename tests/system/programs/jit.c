/* jit map|hidden|dump|none [SECONDS]: generates a function, which keeps the CPU busy, and tells its
 * name "generated_burner" in /tmp/perf-PID.map, or in that of a /tmp that nobody else sees, or in
 * ./jit-PID.dump as a jitdump, or nowhere. The list stays when the program ends. Says its process
 * id. */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { CODE_BYTES = 4096, ROUNDS = 200000 };

/* With a frame pointer: push rbp; mov rbp, rsp; mov eax, edi; dec eax; jnz -4; pop rbp; ret. */
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x89, 0xf8,
                                0xff, 0xc8, 0x75, 0xfc, 0x5d, 0xc3 };

static const char name[] = "generated_burner";

static int write_map(uint64_t address)
{
    char path[64];
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return 1;
    fprintf(file, "%lx %zx older_name\n%lx %zx %s\nnonsense\n", (unsigned long)address,
            sizeof(code), (unsigned long)address, sizeof(code), name);
    return fclose(file);
}

/* A jitdump makes itself known by being mapped as code. */
static int write_dump(uint64_t address)
{
    struct {
        uint32_t magic, version, bytes, machine, padding, pid;
        uint64_t timestamp, flags;
    } header = { 0x4a695444, 1, sizeof(header), 62, 0, (uint32_t)getpid(), 0, 0 };
    struct {
        uint32_t id, bytes;
        uint64_t timestamp;
        uint32_t pid, tid;
        uint64_t address_in_file, address, code_bytes, index;
    } load = { 0,
               sizeof(load) + sizeof(name) + sizeof(code),
               0,
               (uint32_t)getpid(),
               (uint32_t)getpid(),
               address,
               address,
               sizeof(code),
               1 };
    char path[64];
    snprintf(path, sizeof(path), "jit-%d.dump", getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, &header, sizeof(header)) < 0 || write(fd, &load, sizeof(load)) < 0 ||
        write(fd, name, sizeof(name)) < 0 || write(fd, code, sizeof(code)) < 0)
        return 1;
    void *marker = mmap(NULL, CODE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    close(fd);
    return marker == MAP_FAILED;
}

/* As in a container. */
static int hide_tmp(void)
{
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return 1;
    return mount("tmpfs", "/tmp", "tmpfs", 0, NULL) < 0;
}

int main(int argc, char **argv)
{
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 0.3;
    void *memory =
        mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (argc < 2 || memory == MAP_FAILED)
        return 2;
    memcpy(memory, code, sizeof(code));
    if (mprotect(memory, CODE_BYTES, PROT_READ | PROT_EXEC) < 0)
        return 1;
    if (strcmp(argv[1], "map") == 0 && write_map((uint64_t)memory) != 0)
        return 1;
    if (strcmp(argv[1], "hidden") == 0 && (hide_tmp() != 0 || write_map((uint64_t)memory) != 0))
        return 77;
    if (strcmp(argv[1], "dump") == 0 && write_dump((uint64_t)memory) != 0)
        return 1;
    printf("%d\n", getpid());
    fflush(stdout);
    void (*burner)(unsigned rounds) = (void (*)(unsigned))memory;
    for (uint64_t end = thread_cpu_ns() + (uint64_t)(seconds * 1e9); thread_cpu_ns() < end;)
        burner(ROUNDS);
    return 0;
}
