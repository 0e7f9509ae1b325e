#include "remote/agent/host/remote_copy.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/process.h"
#include "engine/base/units.h"
#include "remote/agent/host/error_tail.h"
#include "remote/agent/host/shell_words.h"

namespace trainyard::agent {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// A remote shell whose output is the file. Killed with its group at the end of this object unless it has
/// ended.
class Reader {
public:
    static Result<Reader> start(const RemoteFile& file)
    {
        TRAINYARD_TRY(Pipe content, makePipe());
        TRAINYARD_TRY(Pipe errors, makePipe());
        std::vector<std::string> arguments = file.shell;
        arguments.insert(arguments.end(), {file.host, "cat", quotedForShell(file.path.string())});
        // ssh runs with the system's libraries, not with those of the program that asks.
        TRAINYARD_TRY(const pid_t child, startProcess({.arguments = std::move(arguments),
                                                       .environment = environmentWithout("LD_LIBRARY_PATH"),
                                                       .folder = {},
                                                       .output = content.write.get(),
                                                       .endsWithParent = true,
                                                       .errors = errors.write.get()}));
        return Reader(child, std::move(content.read), std::move(errors.read));
    }
    Reader(Reader&& other) noexcept
        : m_child(std::exchange(other.m_child, 0))
        , m_content(std::move(other.m_content))
        , m_errors(std::move(other.m_errors))
    {
    }
    Reader& operator=(Reader&&) = delete;
    ~Reader()
    {
        if (m_child > 0)
            killGroup(m_child);
    }

    /// The next bytes; empty at the end of the output.
    Result<std::string> next(std::chrono::milliseconds patience)
    {
        for (;;) {
            pollfd ready[] = {{m_content.get(), POLLIN, 0}, {m_errors.fd(), POLLIN, 0}};
            const int count = ::poll(ready, 2, static_cast<int>(patience.count()));
            if (count == 0)
                return badInput("it has sent nothing for " + formatDuration(patience));
            if (count > 0 && ready[1].revents != 0)
                m_errors.read();
            if (count > 0 && ready[0].revents != 0)
                return read();
        }
    }
    /// The exit status, after the end of the output.
    int finish()
    {
        int status = 0;
        while (::waitpid(m_child, &status, 0) < 0 && errno == EINTR) {
        }
        m_child = 0;
        m_errors.read();
        return shellStatus(status);
    }
    std::string reason() const
    {
        const std::string said = m_errors.lastLine();
        return said.empty() ? "it gives no reason" : said;
    }

private:
    Reader(pid_t child, FileDescriptor content, FileDescriptor errors)
        : m_child(child), m_content(std::move(content)), m_errors(std::move(errors))
    {
    }

    Result<std::string> read()
    {
        std::string bytes(kPieceBytes, '\0');
        ssize_t got = 0;
        while ((got = ::read(m_content.get(), bytes.data(), bytes.size())) < 0 && errno == EINTR) {
        }
        if (got < 0)
            return systemError(ErrorKind::Failed, "cannot read from the remote shell", errno);
        bytes.resize(static_cast<std::size_t>(got));
        return bytes;
    }

    pid_t m_child;
    FileDescriptor m_content;
    ErrorTail m_errors; ///< of the shell
};

} // namespace

Status copyFrom(const RemoteFile& file, const std::filesystem::path& to, std::chrono::milliseconds patience)
{
    const FileDescriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!target.valid())
        return systemError(ErrorKind::Failed, "cannot write " + to.string(), errno);
    TRAINYARD_TRY(Reader reader, Reader::start(file));
    for (;;) {
        TRAINYARD_TRY(const std::string bytes, reader.next(patience));
        if (bytes.empty())
            break;
        TRAINYARD_TRY_STATUS(writeAll(target.get(), bytes, to));
    }
    return reader.finish() == 0 ? Status() : Status(badInput(reader.reason()));
}

} // namespace trainyard::agent
