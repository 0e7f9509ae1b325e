#include "remote/ssh/command.h"

#include <algorithm>

#include "engine/base/units.h"

namespace trainyard::ssh {

namespace {

using namespace std::chrono_literals;
using Time = std::chrono::steady_clock::time_point;

constexpr std::size_t kMaxOutput = 64 * kKiB;
constexpr std::size_t kMaxOutputBytes = 4 * kMiB; ///< beyond that the host means no good

/// How many bytes arrived.
Result<std::size_t> collect(Channel& channel, Channel::Stream stream, std::string& into)
{
    TRAINYARD_TRY(const std::string bytes, channel.readAvailable(stream, kMaxOutput));
    into.append(bytes, 0, kMaxOutput - std::min(into.size(), kMaxOutput));
    return bytes.size();
}

/// True when something was sent. A command that ends before it has read everything is no error here: what it
/// says and its status tell more.
bool feed(Session& session, Channel& channel, std::string_view& input, bool& eofSent)
{
    if (eofSent || session.outputPending())
        return false;
    if (input.empty()) {
        eofSent = true;
        return channel.sendEof().ok();
    }
    const auto put = channel.writeSome(input);
    eofSent = !put.ok();
    input.remove_prefix(put.ok() ? *put : 0);
    return put.ok() && *put > 0;
}

} // namespace

Result<CommandOutput> runCommand(Session& session, const std::string& command, std::string_view input,
                                 std::chrono::milliseconds patience, const Interrupt& interrupt,
                                 const std::function<void(std::size_t)>& sent)
{
    session.setBlocking();
    TRAINYARD_TRY(Channel channel, session.execute(command));
    session.setNonBlocking();
    CommandOutput result;
    const std::size_t all = input.size();
    std::size_t received = 0;
    bool eofSent = false;
    Time lastMove = std::chrono::steady_clock::now();
    for (;;) {
        if (interrupt.triggered())
            return cancelled("stopped");
        TRAINYARD_TRY(const std::size_t err, collect(channel, Channel::Stream::Errors, result.errors));
        TRAINYARD_TRY(const std::size_t out, collect(channel, Channel::Stream::Output, result.output));
        received += err + out;
        if (received > kMaxOutputBytes)
            return unreachable("the host keeps sending output while a command runs");
        if (channel.atEnd())
            channel.takeExitStatus();
        if (err + out == 0 && channel.atEnd() && (channel.exitStatus() || !channel.exitSignal().empty()))
            break;
        const bool moved = feed(session, channel, input, eofSent);
        if (moved && sent)
            sent(all - input.size());
        const Time now = std::chrono::steady_clock::now();
        if (err + out > 0 || moved)
            lastMove = now;
        else if (now - lastMove > patience)
            return unreachable("the host stopped answering while a command ran");
        else
            session.waitForTraffic(interrupt.pollFd(), 200ms);
    }
    result.exitStatus = channel.exitStatus();
    return result;
}

} // namespace trainyard::ssh
