#include "remote/agent/host/machine.h"

#include <cerrno>
#include <sched.h>
#include <sstream>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/base/file.h"

namespace trainyard::agent {

namespace {

std::string firstLineOf(const std::filesystem::path& file)
{
    const auto text = readFile(file);
    return text.ok() ? text->substr(0, text->find('\n')) : std::string();
}

} // namespace

std::string bootId()
{
    return firstLineOf("/proc/sys/kernel/random/boot_id");
}

std::string machineId()
{
    return firstLineOf("/etc/machine-id");
}

std::string networkNamespace()
{
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/ns/net", ignored).string();
}

std::vector<int> usableProcessors()
{
    cpu_set_t set;
    std::vector<int> processors;
    if (::sched_getaffinity(0, sizeof set, &set) != 0)
        return processors;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (CPU_ISSET(processor, &set))
            processors.push_back(processor);
    }
    return processors;
}

int usableCores()
{
    const std::size_t processors = usableProcessors().size();
    return static_cast<int>(processors > 0 ? processors : ::sysconf(_SC_NPROCESSORS_ONLN));
}

std::uint64_t outOfMemoryKills()
{
    const auto text = readFile("/proc/vmstat");
    std::istringstream lines(text.ok() ? *text : std::string());
    std::string name;
    for (std::uint64_t count = 0; lines >> name >> count;) {
        if (name == "oom_kill")
            return count;
    }
    return 0;
}

std::filesystem::path ownProgram()
{
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

Result<DiskSpace> diskSpace(const std::filesystem::path& path)
{
    struct statvfs info {};
    if (::statvfs(path.c_str(), &info) != 0)
        return systemError(ErrorKind::Failed, "cannot read the free space at " + path.string(), errno);
    return DiskSpace{info.f_blocks * info.f_frsize, info.f_bavail * info.f_frsize, info.f_files,
                     info.f_favail, (info.f_flag & ST_NOEXEC) != 0};
}

} // namespace trainyard::agent
