#include "remote/agent/runs/mpi_sessions.h"

#include <cerrno>
#include <charconv>
#include <random>
#include <regex>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "remote/agent/host/process_table.h"
#include "remote/agent/runs/run_folder.h"

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

/// What choose() puts before the attempt; empty for another name.
std::string prefixOf(const std::string& name)
{
    static const std::regex form("(trainyard-[0-9a-f]{16}-)[0-9]+-[0-9a-f]{8}");
    std::smatch parts;
    return std::regex_match(name, parts, form) ? parts[1].str() : std::string();
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

std::vector<fs::path> MpiSessions::abandoned()
{
    std::set<std::string> inUse;
    for (const std::string& run : environmentValues(RunFolder::kRunVariable))
        inUse.insert(MpiSessions(run).m_prefix);
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(kMemory, ignored)) {
        const std::string prefix = prefixOf(entry.path().filename().string());
        if (!prefix.empty() && !inUse.contains(prefix) && isOurFolder(entry.path()))
            folders.push_back(entry.path());
    }
    return folders;
}

} // namespace trainyard::agent
