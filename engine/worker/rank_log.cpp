#include "engine/worker/rank_log.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/base/clock.h"

namespace trainyard {

namespace {

constexpr std::uint64_t kMinFreeForText = 64u << 20;

/// Free text gives way first: on a disk that fills up there is room for losses and states.
bool roomForText()
{
    struct stat file {};
    struct statvfs disk {};
    if (::fstat(STDERR_FILENO, &file) != 0 || !S_ISREG(file.st_mode) || ::fstatvfs(STDERR_FILENO, &disk) != 0)
        return true;
    return std::uint64_t(disk.f_bavail) * disk.f_frsize >= kMinFreeForText;
}

} // namespace

Result<RankLog> RankLog::redirect(const std::filesystem::path& file, const std::string& firstLine)
{
    TRAINYARD_TRY_STATUS(makeFolder(file.parent_path()));
    const FileDescriptor log(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!log.valid())
        return systemError(ErrorKind::Failed, "cannot write " + file.string(), errno);
    RankLog result;
    result.m_terminal = FileDescriptor(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
    std::fflush(nullptr);
    if (::dup2(log.get(), STDOUT_FILENO) < 0 || ::dup2(log.get(), STDERR_FILENO) < 0)
        return systemError(ErrorKind::Failed, "cannot redirect output to " + file.string(), errno);
    logLine(firstLine);
    return result;
}

void RankLog::tellTerminal(const std::string& line) const
{
    const Status written = writeAll(m_terminal.get(), line + "\n", "stderr");
    if (!written.ok())
        logLine(written.error().text());
}

void logLine(const std::string& line)
{
    if (!line.starts_with("error: ") && !roomForText())
        return;
    const std::string text = utcText(systemClock().now().wallNs) + " " + line + "\n";
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

} // namespace trainyard
