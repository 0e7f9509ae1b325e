#include "engine/base/standard_streams.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/untrusted_text.h"

namespace trainyard {

namespace {

std::atomic<int> lostOutput{0}; ///< errno of the first write to standard output that failed

/// One attempt; the number of bytes, or -1 where it makes no sense to try again.
ssize_t writeSome(int stream, std::string_view text)
{
    const ssize_t written = ::write(stream, text.data(), text.size());
    if (written >= 0 || errno == EINTR)
        return std::max<ssize_t>(written, 0);
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return -1;
    pollfd room{stream, POLLOUT, 0};
    ::poll(&room, 1, -1);
    return 0;
}

/// 0, or why not all of it could be written.
int writeWhole(int stream, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = writeSome(stream, text);
        if (written < 0)
            return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

} // namespace

void guardStandardStreams()
{
    ::signal(SIGPIPE, SIG_IGN);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) < 0)
            ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY); // gets the lowest free number
    }
}

void printOutput(std::string_view text)
{
    if (lostOutput == 0)
        lostOutput = writeWhole(STDOUT_FILENO, text);
}

Status outputStatus()
{
    return lostOutput == 0 ? Status()
                           : Status(systemError(ErrorKind::Failed, "cannot write the output", lostOutput));
}

void printNotice(std::string_view text)
{
    writeWhole(STDERR_FILENO, text);
}

std::string shownText(const Error& error)
{
    const bool isOneLine = error.message.find('\n') == std::string::npos;
    return sanitizeError({error.kind, isOneLine ? shownMessage(error.message) : error.message, error.hint})
        .text();
}

void printError(std::string_view speaker, const Error& error)
{
    printNotice(fmt::format("{}: {}\n", speaker, shownText(error)));
}

int exitStatusAfterOutput(int status, std::string_view speaker)
{
    const Status written = outputStatus();
    if (written.ok() || status != 0)
        return status;
    if (lostOutput != EPIPE)
        printError(speaker, written.error());
    return exitStatus(written.error().kind);
}

} // namespace trainyard
