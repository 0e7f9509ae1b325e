#include "tests/support/link/tap_device.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <fmt/format.h>

namespace trainyard::link {

namespace {

Status enter(const std::string& netns)
{
    const FileDescriptor fd(::open(netns.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid() || ::setns(fd.get(), CLONE_NEWNET) != 0)
        return systemError(ErrorKind::Failed, "enter the network namespace " + netns, errno);
    return {};
}

Result<FileDescriptor> makeTapHere(const std::string& name)
{
    FileDescriptor tap(::open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (!tap.valid())
        return systemError(ErrorKind::Failed, "open /dev/net/tun", errno);
    ifreq request{};
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    if (::ioctl(tap.get(), TUNSETIFF, &request) != 0)
        return systemError(ErrorKind::Failed, "make the interface " + name, errno);
    return tap;
}

} // namespace

Result<FileDescriptor> makeTap(const std::string& name, int pid)
{
    if (pid == 0)
        return makeTapHere(name);
    const FileDescriptor own(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    TRAINYARD_TRY_STATUS(enter(fmt::format("/proc/{}/ns/net", pid)));
    auto tap = makeTapHere(name);
    if (::setns(own.get(), CLONE_NEWNET) != 0)
        return systemError(ErrorKind::Failed, "return from the network namespace", errno);
    return tap;
}

} // namespace trainyard::link
