#include "remote/agent/runs/mpi_sessions.h"

#include <cerrno>
#include <charconv>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/hash.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

const fs::path kMemory = "/dev/shm";

bool isThere(const fs::path& path)
{
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0;
}

bool isOurFolder(const fs::path& path)
{
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

} // namespace

MpiSessions::MpiSessions(const std::string& run) : m_prefix(fmt::format("trainyard-{}-", xxh3Hex(run))) {}

fs::path MpiSessions::choose(std::uint32_t attempt) const
{
    std::random_device random;
    return choose(attempt, [&] { return random(); });
}

fs::path MpiSessions::choose(std::uint32_t attempt, const Random& random) const
{
    for (;;) {
        const fs::path path = kMemory / fmt::format("{}{}-{:08x}", m_prefix, attempt, random());
        if (!isThere(path))
            return path;
    }
}

Status MpiSessions::make(const fs::path& folder)
{
    if (::mkdir(folder.c_str(), 0700) == 0)
        return {};
    const int error = errno;
    if (error == EEXIST && isOurFolder(folder))
        return {};
    if (error == EEXIST)
        return refused(folder.string() + " already exists and belongs to another user",
                       "the next attempt uses another name");
    return systemError(ErrorKind::Failed, "cannot make " + folder.string(), error);
}

void MpiSessions::removeUpTo(std::uint32_t attempt) const
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(kMemory, ignored)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(m_prefix) || !isOurFolder(entry.path()))
            continue;
        std::uint32_t number = 0;
        const char* const end = name.data() + name.size();
        const auto parsed = std::from_chars(name.data() + m_prefix.size(), end, number);
        if (parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == '-' && number <= attempt)
            fs::remove_all(entry.path(), ignored);
    }
}

} // namespace trainyard::agent
