#include "remote/agent/store/marks.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>

#include "engine/base/file.h"
#include "remote/wire/greeting.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::hours kKept{1};

void removeOldMarks(const fs::path& folder)
{
    std::error_code ignored;
    const auto now = fs::file_time_type::clock::now();
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const auto left = entry.last_write_time(ignored);
        if (isNonce(entry.path().filename().string()) && now - left > kKept)
            fs::remove(entry.path(), ignored);
    }
}

} // namespace

Result<std::vector<std::string>> leaveMark(const fs::path& folder, const std::string& own,
                                           const std::vector<std::string>& others)
{
    TRAINYARD_TRY_STATUS(makeFolder(folder));
    removeOldMarks(folder);
    const FileDescriptor mark(
        ::open((folder / own).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!mark.valid())
        return systemError(ErrorKind::Failed, "cannot write a mark in " + folder.string(), errno);
    std::vector<std::string> seen;
    std::error_code ignored;
    for (const std::string& other : others) {
        if (other != own && fs::exists(folder / other, ignored))
            seen.push_back(other);
    }
    return seen;
}

} // namespace trainyard::agent
