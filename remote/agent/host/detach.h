#pragma once

#include <filesystem>
#include <string_view>

#include <sys/types.h>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard::agent {

/// The daemon's end of the pipe through which its starter learns whether it came up.
class Readiness {
public:
    explicit Readiness(FileDescriptor pipe) : m_pipe(std::move(pipe)) {}

    void isUp();
    /// Reports `started` as false: another daemon already does this work.
    void isNotNeeded();
    void failedWith(const Error& error);

private:
    void report(const std::string& line);
    FileDescriptor m_pipe;
};

/// Turns the calling process into a daemon: forks twice, opens a new session, reads stdin from /dev/null and
/// appends stdout and stderr to `log`. Returns in the daemon only. The calling process waits for the daemon's
/// report, prints it on stdout as one line of JSON and exits. No threads may be running.
Result<Readiness> detach(const std::filesystem::path& log);

/// Writes `text` as one line, after the time in UTC, to standard error, which is a daemon's log.
void logLine(std::string_view text);
/// logLine() with the error; does nothing for a status that is ok.
void logFailure(const Status& status);

struct DetachedStart {
    bool started = false;
    pid_t pid = 0;
};
/// Starts `arguments`, a program that calls detach(), out of reach of a logout (logind.h), and waits for its
/// report. Any thread.
Result<DetachedStart> startDetached(const std::vector<std::string>& arguments);

} // namespace trainyard::agent
