#include "remote/target/ssh_link.h"

#include <csignal>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/units.h"

namespace trainyard {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kReadPiece = 256 * kKiB;
constexpr std::int64_t kMaxUnconsumed = 8 * kMiB; ///< then reading stops, and SSH's window stops the host
constexpr std::size_t kMaxErrors = 4 * kKiB;
constexpr auto kExitPatience = 500ms;

/// libssh writes to sockets whose peer may be gone; the thread, not the program, ignores that signal.
void blockBrokenPipeSignal()
{
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

} // namespace

SshLink::SshLink(Options options, Listener listener)
    : m_options(std::move(options))
    , m_listener(std::move(listener))
    , m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    , m_thread([this] { run(); })
{
}

SshLink::~SshLink()
{
    {
        // Under the lock, so that a question that is just being asked sees it before it waits.
        const std::lock_guard lock(m_mutex);
        m_interrupt.trigger();
    }
    m_answered.notify_all();
    wake();
    m_thread.join();
}

void SshLink::wake()
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(m_wake.get(), &one, sizeof one);
}

void SshLink::clearWake()
{
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(m_wake.get(), &count, sizeof count);
}

void SshLink::send(Lane lane, std::string frame)
{
    {
        const std::lock_guard lock(m_mutex);
        (lane == Lane::Control ? m_control : m_bulk).push_back(std::move(frame));
    }
    wake();
}

void SshLink::consumed(std::size_t bytes)
{
    const auto before = m_unconsumed.fetch_sub(static_cast<std::int64_t>(bytes));
    // At or below the limit the thread is reading and needs no wake-up.
    if (before > kMaxUnconsumed)
        wake();
}

void SshLink::answerHostKey(bool trust)
{
    const std::lock_guard lock(m_mutex);
    m_trust = trust;
    m_answered.notify_all();
}

void SshLink::answerLogin(ssh::LoginAnswers answers)
{
    const std::lock_guard lock(m_mutex);
    m_answers = std::move(answers);
    m_answered.notify_all();
}

bool SshLink::trustUnknownKey(const HostKeyInquiry& inquiry)
{
    std::unique_lock lock(m_mutex);
    // Asked under the lock: the answer cannot come before the wait for it begins.
    m_trust.reset();
    m_listener.hostKeyUnknown(inquiry);
    m_answered.wait(lock, [this] { return m_trust.has_value() || m_interrupt.triggered(); });
    return m_trust.value_or(false);
}

void SshLink::hostKeyChanged(const HostKeyChange& change)
{
    m_listener.hostKeyChanged(change);
}

ssh::LoginAnswers SshLink::login(const ssh::LoginInquiry& inquiry)
{
    std::unique_lock lock(m_mutex);
    m_answers.reset();
    m_listener.loginNeeded(inquiry);
    m_answered.wait(lock, [this] { return m_answers.has_value() || m_interrupt.triggered(); });
    auto answers = m_answers ? std::move(*m_answers) : std::nullopt;
    m_answers.reset();
    return answers;
}

void SshLink::loggedIn(const std::string& account)
{
    m_listener.loggedIn(account);
}

void SshLink::notice(const std::string& text)
{
    m_listener.notice(text);
}

void SshLink::progress(const std::string& text)
{
    m_listener.progress(text);
}

void SshLink::run()
{
    blockBrokenPipeSignal();
    const Status status = work();
    if (!m_interrupt.triggered())
        m_listener.failed(status.error());
}

Status SshLink::work()
{
    TRAINYARD_TRY(const AgentFile agent, m_options.agentFiles->find(m_options.agentPath));
    TRAINYARD_TRY(auto connection,
                  ssh::Connection::open(m_options.host, m_options.connection, *this, m_interrupt));
    if (const auto& host = connection.host(); host.aliveInterval.count() > 0)
        m_listener.keepAlive(host.aliveInterval, host.aliveCountMax);
    m_listener.hostKeyVerified(connection.session().hostKey());
    auto started =
        startAgent(connection.session(), agent, m_options.nonce, m_options.mode, *this, m_interrupt);
    if (!started.ok())
        return started.error().in(m_options.host);
    m_listener.opened();
    if (!started->rest.empty())
        deliver(std::move(started->rest));
    const Status status = pump(connection.session(), started->channel);
    return status.error().in(m_options.host);
}

Status SshLink::pump(ssh::Session& session, ssh::Channel& channel)
{
    for (;;) {
        if (m_interrupt.triggered())
            return cancelled("closed");
        const bool mayRead = m_unconsumed <= kMaxUnconsumed;
        bool moved = false;
        if (mayRead) {
            TRAINYARD_TRY(moved, readOnce(channel));
            if (!moved && channel.atEnd()) {
                TRAINYARD_TRY([[maybe_unused]] const bool lastWords, readErrors(channel));
                return ended(session, channel);
            }
        }
        TRAINYARD_TRY(const bool wrote, writeOnce(session, channel));
        if (moved || wrote)
            continue;
        if (mayRead) {
            session.waitForTraffic(m_wake.get(), 1s);
        } else {
            pollfd woken{m_wake.get(), POLLIN, 0};
            ::poll(&woken, 1, 1000);
        }
        clearWake();
    }
}

/// Output last: reading either stream takes from the socket what belongs to both, and no poll tells of output
/// that libssh holds already.
Result<bool> SshLink::readOnce(ssh::Channel& channel)
{
    TRAINYARD_TRY(const bool complained, readErrors(channel));
    TRAINYARD_TRY(std::string bytes, channel.readAvailable(ssh::Channel::Stream::Output, kReadPiece));
    const bool moved = !bytes.empty() || complained;
    if (!bytes.empty())
        deliver(std::move(bytes));
    return moved;
}

Result<bool> SshLink::readErrors(ssh::Channel& channel)
{
    TRAINYARD_TRY(const std::string errors, channel.readAvailable(ssh::Channel::Stream::Errors, kReadPiece));
    m_errors += errors;
    if (m_errors.size() > kMaxErrors)
        m_errors.erase(0, m_errors.size() - kMaxErrors);
    return !errors.empty();
}

void SshLink::deliver(std::string bytes)
{
    m_unconsumed += static_cast<std::int64_t>(bytes.size());
    m_listener.received(std::move(bytes));
}

bool SshLink::takeFrame()
{
    const std::lock_guard lock(m_mutex);
    auto& queue = m_control.empty() ? m_bulk : m_control;
    if (queue.empty())
        return false;
    m_sending = std::move(queue.front());
    m_sent = 0;
    queue.pop_front();
    return true;
}

Result<bool> SshLink::writeOnce(ssh::Session& session, ssh::Channel& channel)
{
    // What libssh has taken cannot be overtaken any more, so it gets the next piece only when the last is
    // out.
    if (session.outputPending() || (m_sent == m_sending.size() && !takeFrame()))
        return false;
    TRAINYARD_TRY(const std::size_t put, channel.writeSome(std::string_view(m_sending).substr(m_sent)));
    m_sent += put;
    return put > 0;
}

/// Its status comes just behind the end of its output; how it ended is worth a short wait.
Error SshLink::ended(const ssh::Session& session, ssh::Channel& channel) const
{
    const auto deadline = ssh::deadlineIn(kExitPatience);
    while (!channel.exitStatus() && channel.exitSignal().empty() &&
           std::chrono::steady_clock::now() < deadline) {
        channel.takeExitStatus();
        session.waitForTraffic(m_interrupt.pollFd(), 50ms);
    }
    std::string why = "the agent ended";
    if (channel.exitStatus())
        why += fmt::format(" with status {}", *channel.exitStatus());
    if (!channel.exitSignal().empty())
        why += fmt::format(" by signal {}", channel.exitSignal());
    return unreachable(m_errors.empty() ? why : why + ": " + m_errors);
}

} // namespace trainyard
