#include "engine/worker/rank_log.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

#include "engine/base/clock.h"

namespace trainyard {

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
    const std::string text = utcText(systemClock().now().wallNs) + " " + line + "\n";
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

} // namespace trainyard
