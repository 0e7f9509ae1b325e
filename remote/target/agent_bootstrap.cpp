#include "remote/target/agent_bootstrap.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/units.h"
#include "remote/ssh/command.h"
#include "remote/ssh/plain_text.h"
#include "remote/target/shell_diagnosis.h"
#include "remote/wire/greeting.h"

namespace trainyard {

namespace {

using namespace std::chrono_literals;

constexpr auto kGreetingPatience = 15s;
constexpr auto kUploadPatience = 30s; // without a byte moving
constexpr std::size_t kPiece = 64 * kKiB;
constexpr std::size_t kMaxErrors = 4 * kKiB;
constexpr std::size_t kMaxMessageLength = 500; // of a host's, in a message

/// agentFolder() in the host's shell, and where that is of no use.
#define TRAINYARD_AGENT_BASES                                                                                \
    "\"${TRAINYARD_HOME:-${HOME:-/nonexistent}/.trainyard}\" \"/var/tmp/trainyard-$(id -u)\""

/// stdin: startLine(), then what the agent itself reads. `[ -x ]` is false on a noexec file system. Whose a
/// folder is must be asked of the folder that is entered: in /var/tmp anybody may change where a name leads.
/// An agent whose hash differs from its name is not started.
constexpr const char* kServe =
    "exec /bin/sh -c 'umask 077; read -r sha nonce mode; found=missing; for base in " TRAINYARD_AGENT_BASES
    "; do agent=\"./agents/$sha/trainyard-agent\"; "
    "if cd \"$base\" 2>/dev/null && [ -O . ] && [ -x \"$agent\" ] && [ -s \"$agent\" ]; then "
    "if command -v sha256sum > /dev/null; then sum=$(sha256sum < \"$agent\"); "
    "[ \"${sum%% *}\" = \"$sha\" ] || { found=damaged; continue; }; "
    "else echo \"trainyard-stage0 $nonce unverified\"; fi; "
    "TRAINYARD_HOME=$(pwd -P); export TRAINYARD_HOME; "
    "if [ \"$mode\" = --read-only ]; then exec \"$agent\" serve --read-only; fi; "
    "exec \"$agent\" serve; fi; done; "
    "echo \"trainyard-stage0 $nonce $found\"'";

/// stdin: `<sha256> <nonce> keep|replace`, then the executable to its end. An empty file that may be executed
/// runs as an empty script, except on a noexec file system. The agent is under its name only whole and
/// verified. Hosts that share a home may store it at once, and process ids repeat from host to host: the
/// nonce tells their parts from each other, and what is there already and whole is not replaced under a host
/// that runs it. Where nothing computes the hash, `replace` says that what is there is not whole.
constexpr const char* kStore =
    "exec /bin/sh -c 'umask 077; read -r sha nonce how; "
    "sum() { if command -v sha256sum > /dev/null; then sha256sum < \"$1\"; else echo \"$sha\"; fi; }; "
    "whole() { seen=$(sum \"$1\"); [ \"${seen%% *}\" = \"$sha\" ]; }; "
    "kept() { command -v sha256sum > /dev/null || [ \"$how\" = keep ] && [ -s \"$1\" ] && whole \"$1\"; }; "
    "for base in " TRAINYARD_AGENT_BASES "; do dir=\"./agents/$sha\"; part=\"$dir/.part.$nonce\"; "
    "mkdir -p \"$base\" 2>/dev/null && cd \"$base\" && [ -O . ] && mkdir -p \"$dir\" 2>/dev/null && "
    ": > \"$part\" && chmod 700 \"$part\" && \"$part\" 2>/dev/null || { rm -f \"$part\"; continue; }; "
    "if cat > \"$part\"; then sync \"$part\" 2>/dev/null; "
    "if whole \"$part\" && { ln \"$part\" \"$dir/trainyard-agent\" 2>/dev/null || "
    "kept \"$dir/trainyard-agent\" || mv -f \"$part\" \"$dir/trainyard-agent\"; }; then rm -f \"$part\"; "
    "echo \"trainyard-stage0 $nonce stored\"; exit 0; fi; rm -f \"$part\"; "
    "echo \"trainyard-stage0 $nonce damaged\"; exit 1; fi; rm -f \"$part\"; "
    "echo \"trainyard-stage0 $nonce full $(df -Pk . | tail -n 1)\"; exit 1; done; "
    "echo \"trainyard-stage0 $nonce nowhere\"; exit 1'";

#undef TRAINYARD_AGENT_BASES

std::string marker(const std::string& nonce)
{
    return "trainyard-stage0 " + nonce + " ";
}

/// What the stage-0 script said first behind its marker; nothing when it said nothing.
std::optional<std::string> answerOf(const std::string& output, const std::string& nonce)
{
    const auto at = output.find(marker(nonce));
    if (at == std::string::npos)
        return std::nullopt;
    const auto begin = at + marker(nonce).size();
    const auto end = output.find('\n', begin);
    return end == std::string::npos ? std::nullopt : std::optional(output.substr(begin, end - begin));
}

/// `full <line of df -Pk>`: the fourth column is what is free, in KiB.
Error diskFull(const std::string& answer, std::size_t needed)
{
    std::istringstream line(answer);
    std::string word, fileSystem;
    Bytes total = 0, used = 0, freeKiB = 0;
    line >> word >> fileSystem >> total >> used >> freeKiB;
    return refused(
        fmt::format("the agent does not fit on the host's disk: it needs {}, {} are free",
                    formatBytes(needed), formatBytes(freeKiB * kKiB)),
        "free space in the home folder there, or set TRAINYARD_HOME in the host's shell start-up file");
}

Error storeError(const ssh::CommandOutput& output, const std::string& nonce, std::size_t size)
{
    const std::string answer = answerOf(output.output, nonce).value_or("");
    if (answer.starts_with("full"))
        return diskFull(answer, size);
    if (answer == "damaged")
        return unreachable("the agent arrived damaged");
    if (answer == "nowhere")
        return refused(
            "there is no folder where the agent can be stored and started (tried the home folder and "
            "/var/tmp)",
            "set TRAINYARD_HOME in the host's shell start-up file to a folder where programs may run");
    return refused(
        "the host's shell does not run commands: " +
            ssh::plainText(output.errors.empty() ? output.output : output.errors, kMaxMessageLength),
        "the account needs a normal login shell");
}

/// What to do with an agent that is there and cannot be verified.
enum class Present { Keep, Replace };

Status storeAgent(ssh::Session& session, const AgentFile& agent, const std::string& nonce, Present present,
                  ssh::Interaction& interaction, const ssh::Interrupt& interrupt)
{
    TRAINYARD_TRY(const std::string bytes, readFile(agent.path));
    const std::string how = present == Present::Keep ? "keep" : "replace";
    const std::string input = agent.sha256 + ' ' + nonce + ' ' + how + '\n' + bytes;
    const std::string all = formatBytes(input.size());
    const auto report = [&, last = std::size_t{0}](std::size_t sent) mutable {
        if (sent - last < kMiB && sent < input.size())
            return;
        last = sent;
        interaction.progress(fmt::format("uploading the agent, {} of {}", formatBytes(sent), all));
    };
    TRAINYARD_TRY(const auto output,
                  ssh::runCommand(session, kStore, input, kUploadPatience, interrupt, report));
    if (answerOf(output.output, nonce) != "stored")
        return storeError(output, nonce, bytes.size());
    return {};
}

enum class Start { Greeted, Missing, Damaged, Ended };

/// Reads what a starting agent (or the script in its place) says.
class StartReader {
public:
    StartReader(ssh::Session& session, ssh::Channel& channel, const std::string& nonce)
        : m_session(session), m_channel(channel), m_nonce(nonce), m_scanner(nonce)
    {
    }

    Result<Start> read(const ssh::Interrupt& interrupt)
    {
        const auto deadline = ssh::deadlineIn(kGreetingPatience);
        while (std::chrono::steady_clock::now() < deadline) {
            if (interrupt.triggered())
                return cancelled("stopped");
            const bool ending = m_channel.atEnd();
            // Errors first: see SshLink::readOnce().
            TRAINYARD_TRY(const std::string errors,
                          m_channel.readAvailable(ssh::Channel::Stream::Errors, kPiece));
            TRAINYARD_TRY(const std::string bytes,
                          m_channel.readAvailable(ssh::Channel::Stream::Output, kPiece));
            m_errors.append(errors, 0, kMaxErrors - std::min(kMaxErrors, m_errors.size()));
            m_seen.append(bytes);
            TRAINYARD_TRY(const bool greeted, m_scanner.feed(bytes));
            if (greeted)
                return Start::Greeted;
            const auto answer =
                bytes.find('\n') == std::string::npos ? std::nullopt : answerOf(m_seen, m_nonce);
            if (answer == "missing")
                return Start::Missing;
            if (answer == "damaged")
                return Start::Damaged;
            if (ending && bytes.empty() && errors.empty())
                return Start::Ended;
            if (bytes.empty() && errors.empty())
                m_session.waitForTraffic(interrupt.pollFd(), 200ms);
        }
        return unreachable(
            fmt::format("the agent did not answer within {} s: {}", kGreetingPatience.count(), explanation()),
            "the host's shell start-up files must not wait for input");
    }

    const std::string& rest() const { return m_scanner.rest(); }
    /// The host has nothing that computes a hash.
    bool unverified() const { return answerOf(m_seen, m_nonce) == "unverified"; }

    /// After Ended: what to tell about it.
    FailedStart failedStart() const
    {
        m_channel.takeExitStatus();
        return {ssh::plainText(m_errors.empty() ? m_seen : m_errors, kMaxMessageLength),
                m_channel.exitStatus()};
    }

private:
    std::string explanation() const
    {
        const std::string words = ssh::plainText(m_errors.empty() ? m_seen : m_errors, kMaxMessageLength);
        return words.empty() ? "the host printed nothing" : words;
    }

    ssh::Session& m_session;
    ssh::Channel& m_channel;
    const std::string& m_nonce;
    GreetingScanner m_scanner;
    std::string m_seen; // bounded by the scanner, which gives up after 64 KiB
    std::string m_errors;
};

/// Not an error when the other side closes meanwhile: a shell that ends at once may not even take this, and
/// what it says is the better message. A broken session is found by who reads then.
Status offer(ssh::Session& session, ssh::Channel& channel, std::string_view bytes,
             const ssh::Interrupt& interrupt)
{
    const auto deadline = ssh::deadlineIn(kGreetingPatience);
    while (!bytes.empty()) {
        if (interrupt.triggered() || std::chrono::steady_clock::now() > deadline)
            return unreachable("the host does not accept input");
        const auto put = channel.writeSome(bytes);
        if (!put.ok())
            return {};
        bytes.remove_prefix(*put);
        if (*put == 0)
            session.waitForTraffic(interrupt.pollFd(), 200ms);
    }
    return {};
}

/// What came of starting the agent: a channel to it, or why it ended, or neither when it is not there or
/// damaged.
struct StartAttempt {
    std::optional<AgentChannel> channel;
    std::optional<FailedStart> failure;
    bool damaged = false; ///< with a failure: perhaps, for nobody could verify it
};

Result<StartAttempt> attemptStart(ssh::Session& session, const std::string& greeting,
                                  const std::string& nonce, const ssh::Interrupt& interrupt)
{
    session.setBlocking();
    TRAINYARD_TRY(ssh::Channel channel, session.execute(kServe));
    session.setNonBlocking();
    TRAINYARD_TRY_STATUS(offer(session, channel, greeting, interrupt));
    StartReader reader(session, channel, nonce);
    TRAINYARD_TRY(const Start start, reader.read(interrupt));
    StartAttempt attempt;
    if (start == Start::Ended)
        attempt.failure = reader.failedStart();
    attempt.damaged = start == Start::Damaged || (start == Start::Ended && reader.unverified());
    if (start == Start::Greeted)
        attempt.channel.emplace(AgentChannel{std::move(channel), reader.rest()});
    return attempt;
}

} // namespace

Result<AgentChannel> startAgent(ssh::Session& session, const AgentFile& agent, const std::string& nonce,
                                AgentMode mode, ssh::Interaction& interaction,
                                const ssh::Interrupt& interrupt)
{
    const std::string greeting =
        startLine(agent.sha256, nonce, mode == AgentMode::ReadOnly) + '\n' + nonce + '\n';
    for (const bool mayStore : {true, false}) {
        interaction.progress("starting the agent");
        TRAINYARD_TRY(auto attempt, attemptStart(session, greeting, nonce, interrupt));
        if (attempt.channel)
            return std::move(*attempt.channel);
        // The attempt's channel is closed by now: a host may allow no second one (MaxSessions 1).
        if (attempt.failure && !(attempt.damaged && mayStore))
            return explainFailedStart(session, *attempt.failure, interrupt);
        if (!mayStore)
            break;
        const Present present = attempt.damaged ? Present::Replace : Present::Keep;
        const Status stored = storeAgent(session, agent, nonce, present, interaction, interrupt);
        if (!stored.ok() && attempt.failure)
            return explainFailedStart(session, *attempt.failure, interrupt);
        TRAINYARD_TRY_STATUS(stored);
        if (attempt.damaged && !attempt.failure)
            interaction.notice("the agent stored on the host was damaged; it has been uploaded again");
    }
    return unreachable("the agent was uploaded but is missing");
}

} // namespace trainyard
