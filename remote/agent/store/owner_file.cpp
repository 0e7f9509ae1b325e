#include "remote/agent/store/owner_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/parsed_number.h"
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

/// False when it is there already.
Result<bool> create(const fs::path& path, const std::string& content)
{
    const FileDescriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.valid() && errno == EEXIST)
        return false;
    if (!file.valid())
        return systemError(ErrorKind::Failed, "cannot make " + path.string(), errno);
    const Status written = writeAll(file.get(), content, path);
    if (!written.ok()) {
        ::unlink(path.c_str());
        return written.error();
    }
    return true;
}

/// What is claimed, by number: who holds it, who is about to find out whether he does, who died. Nothing =
/// the folder cannot be read.
using Claims = std::map<std::uint64_t, std::string>;

std::optional<std::uint64_t> numberIn(const std::string& name, const std::string& stem)
{
    if (!name.starts_with(stem))
        return std::nullopt;
    return parsedNumber<std::uint64_t>(std::string_view(name).substr(stem.size()));
}

fs::path claimOf(const fs::path& path, std::uint64_t number)
{
    return fs::path(path) += fmt::format(".{}", number);
}

std::optional<Claims> claimsOn(const fs::path& path)
{
    Claims claims;
    std::error_code error;
    const std::string stem = path.filename().string() + ".";
    for (fs::directory_iterator entry(path.parent_path(), error), end; !error && entry != end;
         entry.increment(error)) {
        const auto number = numberIn(entry->path().filename().string(), stem);
        const auto content = number ? readFile(entry->path()) : Result<std::string>(std::string());
        if (number && content.ok()) // else it was given back meanwhile
            claims[*number] = *content;
    }
    return error ? std::nullopt : std::optional(claims);
}

bool areOver(const Claims& claims, const fs::path& path)
{
    return std::ranges::all_of(claims, [&](const auto& claim) {
        return isGone(claim.second) || leaseIsOver(claimOf(path, claim.first));
    });
}

/// Nobody but us came since `before` was read.
bool isOurs(const fs::path& path, std::uint64_t own, const Claims& before)
{
    const auto now = claimsOn(path);
    return now && std::ranges::all_of(*now, [&](const auto& claim) {
               const auto known = before.find(claim.first);
               return claim.first == own || (known != before.end() && known->second == claim.second);
           });
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
    const auto before = claimsOn(path);
    if (before && !areOver(*before, path))
        return std::optional<OwnerFile>();
    const std::uint64_t number = before && !before->empty() ? before->rbegin()->first + 1 : 1;
    const std::string content = ownContent();
    TRAINYARD_TRY(const bool made, create(claimOf(path, number), content));
    if (!made)
        return std::optional<OwnerFile>();
    OwnerFile claim(claimOf(path, number), content);
    if (!before || !isOurs(path, number, *before))
        return std::optional<OwnerFile>();
    for (const auto& [dead, whose] : *before)
        ::unlink(claimOf(path, dead).c_str());
    return std::optional<OwnerFile>(std::move(claim));
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
