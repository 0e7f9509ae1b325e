#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr std::uint32_t kNumber = offsetof(seccomp_data, nr);
constexpr std::uint32_t kCommand = offsetof(seccomp_data, args[1]); // low half, little-endian
constexpr std::uint32_t kNoLocks = SECCOMP_RET_ERRNO | ENOLCK;

/// fcntl() asks for or takes a lock, or flock() does: ENOLCK, as a file system without locks answers.
bool forbidLocks()
{
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kCommand),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_GETLK, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, kNoLocks),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{sizeof program / sizeof program[0], program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

} // namespace

/// without_locks PROGRAM ARGUMENT...: runs the program as on a file system that knows no locks.
int main(int argc, char** argv)
{
    if (argc < 2 || !forbidLocks()) {
        std::perror("without_locks");
        return 125;
    }
    ::execv(argv[1], argv + 1);
    std::perror(argv[1]);
    return 127;
}
