#include "remote/agent/probe/disk_facts.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <sys/quota.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "remote/agent/host/machine.h"

namespace trainyard::agent {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kQuotaBlock = 1024; ///< bytes of dqb_bhardlimit's unit

struct Mount {
    std::string device;
    std::string type; ///< "ext4", "nfs4"
};

/// The mount that holds `path`; of two on one place the later, which is the visible one.
Mount mountOf(const fs::path& path)
{
    const auto text = readFile("/proc/self/mounts");
    std::istringstream lines(text.ok() ? *text : std::string());
    std::error_code ignored;
    const std::string target = fs::canonical(path, ignored).string();
    std::string best;
    Mount mount;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string device;
        std::string place;
        std::string type;
        fields >> device >> place >> type;
        const bool holds = target == place || target.starts_with(place == "/" ? "/" : place + "/");
        if (holds && place.size() >= best.size()) {
            best = place;
            mount = {device, type};
        }
    }
    return mount;
}

bool canWrite(const fs::path& folder)
{
    const int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0) {
        ::close(file);
        return true;
    }
    // Not every file system knows O_TMPFILE (NFS does not).
    return (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT) && ::access(folder.c_str(), W_OK) == 0;
}

/// The tighter one of two limits, of which 0 means none.
std::uint64_t limitOf(std::uint64_t hard, std::uint64_t soft)
{
    return hard != 0 && soft != 0 ? std::min(hard, soft) : hard + soft;
}

/// Of a user or a group; null where there is none.
json quotaOf(const std::string& device, int type, unsigned id)
{
    dqblk quota{};
    const int found = ::quotactl(QCMD(Q_GETQUOTA, type), device.c_str(), static_cast<int>(id),
                                 reinterpret_cast<caddr_t>(&quota));
    const std::uint64_t blocks = limitOf(quota.dqb_bhardlimit, quota.dqb_bsoftlimit);
    const std::uint64_t inodes = limitOf(quota.dqb_ihardlimit, quota.dqb_isoftlimit);
    if (found != 0 || (blocks == 0 && inodes == 0))
        return nullptr;
    json facts{{"used", quota.dqb_curspace}, {"inodes_used", quota.dqb_curinodes}};
    if (blocks > 0)
        facts["limit"] = blocks * kQuotaBlock;
    if (inodes > 0)
        facts["inodes_limit"] = inodes;
    return facts;
}

/// The user's quota, else that of the group which owns what is written there.
json quotaOn(const std::string& device)
{
    json quota = quotaOf(device, USRQUOTA, ::getuid());
    return quota.is_null() ? quotaOf(device, GRPQUOTA, ::getgid()) : quota;
}

} // namespace

json diskFacts(fs::path folder)
{
    std::error_code ignored;
    while (!fs::exists(folder, ignored) && folder.has_relative_path())
        folder = folder.parent_path();
    const Mount mount = mountOf(folder);
    json facts{{"path", folder.string()},
               {"filesystem", mount.type},
               {"writable", canWrite(folder)},
               {"quota", quotaOn(mount.device)}};
    if (const auto space = diskSpace(folder); space.ok()) {
        facts["total"] = space->total;
        facts["free"] = space->free;
        facts["inodes_free"] = space->inodesFree;
        facts["inodes_total"] = space->inodesTotal;
        facts["noexec"] = space->noexec;
    }
    return facts;
}

json homeFacts()
{
    const char* home = std::getenv("HOME");
    return home ? diskFacts(home) : json();
}

json sharedMemoryFacts()
{
    const auto space = diskSpace("/dev/shm");
    return {{"total", space.ok() ? space->total : 0}, {"free", space.ok() ? space->free : 0}};
}

} // namespace trainyard::agent
