#pragma once

#include <filesystem>
#include <string_view>

#include <sys/types.h>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard::agent {

/// The daemon's end of the promise that whoever started it hears whether it is up.
class Readiness {
public:
    explicit Readiness(FileDescriptor pipe) : m_pipe(std::move(pipe)) {}

    void isUp();
    /// False: this daemon has nothing to do because another one does it already.
    void isNotNeeded();
    void failedWith(const Error& error);

private:
    void report(const std::string& line);
    FileDescriptor m_pipe;
};

/// Makes the calling process a daemon: forked twice, session of its own, stdin from /dev/null, stdout and
/// stderr appended to `log`. Returns in the daemon. The process that called waits for the daemon's word,
/// prints it on its stdout as one line of JSON and exits, so it never returns there. No threads may be
/// running.
Result<Readiness> detach(const std::filesystem::path& log);

/// Writes `text` as one line, after the time in UTC, to standard error, which is a daemon's log.
void logLine(std::string_view text);
/// logLine() with the error; does nothing for a status that is ok.
void logFailure(const Status& status);

struct DetachedStart {
    bool started = false;
    pid_t pid = 0;
};
/// Starts `arguments`, a program that calls detach(), where no logout reaches it (logind.h), and waits for its
/// word. Any thread.
Result<DetachedStart> startDetached(const std::vector<std::string>& arguments);

} // namespace trainyard::agent
