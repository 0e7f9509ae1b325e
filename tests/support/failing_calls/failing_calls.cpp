// Lets the n-th of the calls below fail, for LD_PRELOAD. TRAINYARD_FAILING_CALL says which and how:
//     <n>:<errno>     the n-th fails with that number
//     <n>:short       the n-th, if it writes, writes half of the bytes
// The number of calls that were made is written to the file TRAINYARD_CALLS at the end.
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

std::atomic<long> calls{0};

struct Plan {
    long at = 0;
    int error = 0; ///< 0 = a short write
};

Plan plan()
{
    const char* text = std::getenv("TRAINYARD_FAILING_CALL");
    const char* colon = text ? std::strchr(text, ':') : nullptr;
    return colon ? Plan{std::atol(text), std::atoi(colon + 1)} : Plan{};
}

bool isTheOne()
{
    static const Plan chosen = plan();
    return ++calls == chosen.at;
}

/// True when this call is to fail, with errno set.
bool fails()
{
    static const Plan chosen = plan();
    if (!isTheOne() || chosen.error == 0)
        return false;
    errno = chosen.error;
    return true;
}

template <typename Function>
Function real(const char* name)
{
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

struct Reporter {
    ~Reporter()
    {
        const char* path = std::getenv("TRAINYARD_CALLS");
        if (std::FILE* file = path ? std::fopen(path, "w") : nullptr) {
            std::fprintf(file, "%ld", calls.load());
            std::fclose(file);
        }
    }
};
const Reporter reporter;

} // namespace

extern "C" {

ssize_t write(int fd, const void* data, size_t size)
{
    static const auto next = real<ssize_t (*)(int, const void*, size_t)>("write");
    static const Plan chosen = plan();
    if (fd <= STDERR_FILENO)
        return next(fd, data, size);
    if (!isTheOne())
        return next(fd, data, size);
    if (chosen.error == 0)
        return next(fd, data, size / 2);
    errno = chosen.error;
    return -1;
}

int fsync(int fd)
{
    static const auto next = real<int (*)(int)>("fsync");
    return fails() ? -1 : next(fd);
}

int fdatasync(int fd)
{
    static const auto next = real<int (*)(int)>("fdatasync");
    return fails() ? -1 : next(fd);
}

int ftruncate(int fd, off_t size) noexcept
{
    static const auto next = real<int (*)(int, off_t)>("ftruncate");
    return fails() ? -1 : next(fd, size);
}

int rename(const char* from, const char* to) noexcept
{
    static const auto next = real<int (*)(const char*, const char*)>("rename");
    return fails() ? -1 : next(from, to);
}

int flock(int fd, int how) noexcept
{
    static const auto next = real<int (*)(int, int)>("flock");
    return fails() ? -1 : next(fd, how);
}

ssize_t pread(int fd, void* data, size_t size, off_t at)
{
    static const auto next = real<ssize_t (*)(int, void*, size_t, off_t)>("pread");
    return fails() ? -1 : next(fd, data, size, at);
}

int open(const char* path, int flags, ...)
{
    static const auto next = real<int (*)(const char*, int, ...)>("open");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    const bool ours = std::strncmp(path, "/proc", 5) != 0 && std::strncmp(path, "/etc", 4) != 0;
    return ours && fails() ? -1 : next(path, flags, mode);
}

} // extern "C"
