#include "remote/agent/store/owner_file.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/host/process_table.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

constexpr auto kRefreshInterval = OwnerFile::kLease / 6;

/// Different for every holder that there ever was.
std::string ownContent()
{
    static std::atomic<int> counter{0};
    const auto self = processId(::getpid());
    return nlohmann::json{{"host", hostName()},
                          {"boot_id", bootId()},
                          {"pid", ::getpid()},
                          {"start", self ? self->startTime : 0},
                          {"number", ++counter}}
        .dump();
}

fs::path beside(const fs::path& path, const char* what)
{
    static std::atomic<int> counter{0};
    return fs::path(path) += fmt::format(".{}-{}-{}-{}", what, bootId().substr(0, 8), ::getpid(), ++counter);
}

std::optional<timespec> modified(const fs::path& path)
{
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 ? std::optional(info.st_mtim) : std::nullopt;
}

/// The file system's present time: a server's clock may differ from ours.
std::optional<timespec> timeThere(const fs::path& path)
{
    const fs::path probe = beside(path, "clock");
    const FileDescriptor file(::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    const auto now = file.valid() ? modified(probe) : std::nullopt;
    ::unlink(probe.c_str());
    return now;
}

bool leaseIsOver(const fs::path& path)
{
    const auto last = modified(path), now = timeThere(path);
    return last && now && now->tv_sec - last->tv_sec > OwnerFile::kLease.count();
}

/// True for a process of this boot that is not there any more.
bool isGone(const std::string& content)
{
    const auto owner = nlohmann::json::parse(content, nullptr, false);
    try {
        return owner.is_object() && owner.value("host", "") == hostName() &&
               owner.value("boot_id", "") == bootId() &&
               !isAlive({owner.value("pid", pid_t{0}), owner.value("start", std::uint64_t{0})});
    } catch (const nlohmann::json::exception&) {
        return false; // not our writing: its age decides
    }
}

bool create(const fs::path& path, const std::string& content)
{
    const FileDescriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    return file.valid() && writeAll(file.get(), content, path).ok();
}

/// Takes the dead owner's file away. Whoever moves another one than it judged puts it back.
void bury(const fs::path& path, const std::string& judged)
{
    const fs::path aside = beside(path, "dead");
    if (::rename(path.c_str(), aside.c_str()) != 0)
        return;
    const auto moved = readFile(aside);
    if (moved.ok() && *moved != judged && ::link(aside.c_str(), path.c_str()) != 0)
        create(path, *moved);
    ::unlink(aside.c_str());
}

} // namespace

OwnerFile::OwnerFile(fs::path path, std::string content)
    : m_path(std::move(path)), m_content(std::move(content)), m_refreshed(std::chrono::steady_clock::now())
{
}

OwnerFile::OwnerFile(OwnerFile&& other) noexcept
    : m_path(std::move(other.m_path))
    , m_content(std::exchange(other.m_content, {}))
    , m_refreshed(other.m_refreshed)
{
}

OwnerFile::~OwnerFile()
{
    if (m_content.empty())
        return;
    if (const auto present = readFile(m_path); present.ok() && *present == m_content)
        ::unlink(m_path.c_str());
}

Result<std::optional<OwnerFile>> OwnerFile::tryAcquire(const fs::path& path)
{
    const std::string content = ownContent();
    if (create(path, content))
        return std::optional<OwnerFile>(OwnerFile(path, content));
    if (errno != EEXIST)
        return systemError(ErrorKind::Failed, "cannot make " + path.string(), errno);
    const auto owner = readFile(path);
    if (owner.ok() && (isGone(*owner) || leaseIsOver(path)))
        bury(path, *owner);
    if (create(path, content))
        return std::optional<OwnerFile>(OwnerFile(path, content));
    return std::optional<OwnerFile>();
}

void OwnerFile::refresh()
{
    const auto now = std::chrono::steady_clock::now();
    if (now - m_refreshed < kRefreshInterval)
        return;
    m_refreshed = now;
    ::utimensat(AT_FDCWD, m_path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

} // namespace trainyard::agent
