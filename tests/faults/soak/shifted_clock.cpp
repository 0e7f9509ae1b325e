// To be put in front of libc (LD_PRELOAD): the wall clock is ahead by as many seconds as /root/clock_ahead
// says.

#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

long secondsAhead()
{
    char text[32] = {};
    const int file = ::open("/root/clock_ahead", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    const ssize_t size = ::read(file, text, sizeof text - 1);
    ::close(file);
    return size > 0 ? std::atol(text) : 0;
}

} // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time)
{
    const long failure = ::syscall(SYS_clock_gettime, clock, time);
    if (failure == 0 && clock == CLOCK_REALTIME)
        time->tv_sec += secondsAhead();
    return static_cast<int>(failure);
}
