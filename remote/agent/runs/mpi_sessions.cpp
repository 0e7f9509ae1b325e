#include "remote/agent/runs/mpi_sessions.h"

#include <cerrno>
#include <charconv>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/hash.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

const fs::path kMemory = "/dev/shm";

} // namespace

MpiSessions::MpiSessions(const std::string& run)
    : m_prefix(fmt::format("trainyard-{}-{}-", ::geteuid(), xxh3Hex(run)))
{
}

fs::path MpiSessions::folder(std::uint32_t attempt) const
{
    return kMemory / (m_prefix + std::to_string(attempt));
}

Status MpiSessions::make(std::uint32_t attempt) const
{
    const fs::path path = folder(attempt);
    if (::mkdir(path.c_str(), 0700) == 0)
        return {};
    const int error = errno;
    struct stat info {};
    // Anybody may write to this place: what is there already must be ours.
    if (error == EEXIST && ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
        info.st_uid == ::geteuid())
        return {};
    return systemError(ErrorKind::Failed, "cannot make " + path.string(), error);
}

void MpiSessions::removeUpTo(std::uint32_t attempt) const
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(kMemory, ignored)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(m_prefix))
            continue;
        std::uint32_t number = 0;
        const char* const end = name.data() + name.size();
        const auto parsed = std::from_chars(name.data() + m_prefix.size(), end, number);
        if (parsed.ec == std::errc() && parsed.ptr == end && number <= attempt)
            fs::remove_all(entry.path(), ignored);
    }
}

} // namespace trainyard::agent
