#include "remote/agent/host/detach.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/process.h"
#include "engine/base/standard_streams.h"
#include "remote/agent/host/logind.h"
#include "remote/wire/error_kind.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

constexpr std::chrono::seconds kStartTimeout{30};

std::string readLine(int fd)
{
    std::string line;
    std::array<char, 4096> buffer;
    for (;;) {
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got > 0)
            line.append(buffer.data(), static_cast<std::size_t>(got));
        else if (got == 0 || errno != EINTR)
            return line;
    }
}

std::string errorLine(const Error& error)
{
    return json{{"error", {{"kind", nameOf(error.kind)}, {"message", error.message}, {"hint", error.hint}}}}
               .dump(-1, ' ', false, json::error_handler_t::replace) +
           "\n";
}

[[noreturn]] void passOnTheWord(int readEnd, pid_t child, const std::filesystem::path& log)
{
    std::string line = readLine(readEnd);
    ::waitpid(child, nullptr, 0);
    if (line.empty())
        line = errorLine(failed("the process exited during start-up", "see " + log.string()));
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
    // Without destructors and exit handlers: what they would end belongs to the daemon now.
    ::_exit(line.starts_with("{\"error\"") ? 5 : 0);
}

Status redirectTo(const std::filesystem::path& log)
{
    const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const FileDescriptor sink(
        ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!sink.valid())
        return systemError(ErrorKind::Failed, "cannot open " + log.string(), errno);
    if (::dup2(nothing.get(), 0) < 0 || ::dup2(sink.get(), 1) < 0 || ::dup2(sink.get(), 2) < 0)
        return systemError(ErrorKind::Failed, "cannot redirect to " + log.string(), errno);
    return {};
}

Error errorIn(const json& word)
{
    const auto kind = errorKindFromName(word.value("kind", "failed"));
    return {kind.value_or(ErrorKind::Failed), word.value("message", ""), word.value("hint", "")};
}

} // namespace

void Readiness::isUp()
{
    report(json{{"started", true}, {"pid", ::getpid()}}.dump() + "\n");
}

void Readiness::isNotNeeded()
{
    report(json{{"started", false}}.dump() + "\n");
}

void Readiness::failedWith(const Error& error)
{
    report(errorLine(error));
}

void Readiness::report(const std::string& line)
{
    // The reader may have given up waiting; the daemon goes on all the same.
    [[maybe_unused]] const Status written = writeAll(m_pipe.get(), line, "the start-up pipe");
    m_pipe.reset();
}

Result<Readiness> detach(const std::filesystem::path& log)
{
    TRAINYARD_TRY(Pipe word, makePipe());
    const pid_t child = ::fork();
    if (child < 0)
        return systemError(ErrorKind::Failed, "cannot fork", errno);
    if (child > 0) {
        word.write.reset();
        passOnTheWord(word.read.get(), child, log);
    }
    word.read.reset();
    ::setsid();
    // The second fork gives up the lead of the session: no terminal can ever become the daemon's.
    if (const pid_t daemon = ::fork(); daemon != 0)
        ::_exit(daemon < 0 ? 1 : 0);
    Readiness readiness(std::move(word.write));
    if (const Status redirected = redirectTo(log); !redirected.ok()) {
        readiness.failedWith(redirected.error());
        return redirected.error();
    }
    return readiness;
}

void logLine(std::string_view text)
{
    printNotice(fmt::format("{} {}\n", utcText(systemClock().now().wallNs), text));
}

void logFailure(const Status& status)
{
    if (!status.ok())
        logLine(status.error().text());
}

Result<DetachedStart> startDetached(const std::vector<std::string>& arguments)
{
    TRAINYARD_TRY(const CommandOutput output, runCommand(outlivingLogout(arguments), kStartTimeout));
    const json word = json::parse(output.text, nullptr, false);
    if (!word.is_object())
        return failed("the detached process reported: " + output.text.substr(0, 500));
    if (word.contains("error"))
        return errorIn(word["error"]);
    return DetachedStart{word.value("started", false), word.value("pid", 0)};
}

} // namespace trainyard::agent
