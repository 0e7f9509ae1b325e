#include "remote/target/agent_bootstrap.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/units.h"
#include "remote/ssh/command.h"
#include "remote/wire/greeting.h"

namespace trainyard {

namespace {

using namespace std::chrono_literals;

constexpr auto kGreetingPatience = 15s;
constexpr auto kUploadPatience = 30s; // without a byte moving
constexpr std::size_t kPiece = 64 * kKiB;
constexpr std::size_t kMostErrors = 4 * kKiB;

#define TRAINYARD_AGENT_BASES                                                                                \
    "\"${TRAINYARD_HOME:-${HOME:-/nonexistent}/.trainyard}\" \"/var/tmp/trainyard-$(id -u)\""

/// stdin: `<sha256> <nonce>`, then what the agent itself reads. `[ -x ]` is false on a noexec file system.
constexpr const char* kServe =
    "exec /bin/sh -c 'umask 077; read -r sha nonce; for base in " TRAINYARD_AGENT_BASES
    "; do agent=\"$base/agents/$sha/trainyard-agent\"; if [ -x \"$agent\" ] && [ -O \"$base\" ]; then "
    "TRAINYARD_HOME=\"$base\"; export TRAINYARD_HOME; exec \"$agent\" serve; fi; done; "
    "echo \"trainyard-stage0 $nonce missing\"'";

/// stdin: `<sha256> <nonce>`, then the executable to its end. An empty file that may be executed runs as an
/// empty script, except on a noexec file system. The agent is under its name only whole and verified.
constexpr const char* kStore =
    "exec /bin/sh -c 'umask 077; read -r sha nonce; for base in " TRAINYARD_AGENT_BASES
    "; do dir=\"$base/agents/$sha\"; part=\"$dir/.part.$$\"; mkdir -p \"$dir\" 2>/dev/null && [ -O \"$base\" "
    "] && "
    ": > \"$part\" && chmod 700 \"$part\" && \"$part\" 2>/dev/null || { rm -f \"$part\"; continue; }; "
    "if cat > \"$part\"; then if command -v sha256sum > /dev/null; then sum=$(sha256sum < \"$part\"); "
    "sum=\"${sum%% *}\"; else sum=\"$sha\"; fi; "
    "if [ \"$sum\" = \"$sha\" ] && mv -f \"$part\" \"$dir/trainyard-agent\"; then "
    "echo \"trainyard-stage0 $nonce stored\"; exit 0; fi; rm -f \"$part\"; "
    "echo \"trainyard-stage0 $nonce damaged\"; exit 1; fi; rm -f \"$part\"; "
    "echo \"trainyard-stage0 $nonce full $(df -Pk \"$base\" | tail -n 1)\"; exit 1; done; "
    "echo \"trainyard-stage0 $nonce nowhere\"; exit 1'";

#undef TRAINYARD_AGENT_BASES

std::string marker(const std::string& nonce)
{
    return "trainyard-stage0 " + nonce + " ";
}

/// What the stage-0 script said behind its marker; nothing when it said nothing.
std::optional<std::string> answerOf(const std::string& output, const std::string& nonce)
{
    const auto at = output.find(marker(nonce));
    if (at == std::string::npos)
        return std::nullopt;
    const auto begin = at + marker(nonce).size();
    const auto end = output.find('\n', begin);
    return end == std::string::npos ? std::nullopt : std::optional(output.substr(begin, end - begin));
}

std::string readable(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    const auto begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? std::string()
                                      : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
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
        "make room in the home folder there, or set TRAINYARD_HOME in the host's shell start-up file");
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
            "there is no folder where the agent may be stored and started (tried the home folder and "
            "/var/tmp)",
            "set TRAINYARD_HOME in the host's shell start-up file to a folder that allows programs");
    return refused("the host's shell does not run commands: " +
                       readable(output.errors.empty() ? output.output.substr(0, kMostErrors) : output.errors),
                   "the account needs a normal login shell");
}

Status storeAgent(ssh::Session& session, const AgentBinary& agent, const std::string& nonce,
                  ssh::Interaction& interaction, const ssh::Interrupt& interrupt)
{
    const std::string input = agent.sha256 + ' ' + nonce + '\n' + agent.bytes;
    const std::string all = formatBytes(input.size());
    const auto report = [&, last = std::size_t{0}](std::size_t sent) mutable {
        if (sent - last < kMiB && sent < input.size())
            return;
        last = sent;
        interaction.progress(fmt::format("sending the agent, {} of {}", formatBytes(sent), all));
    };
    TRAINYARD_TRY(const auto output,
                  ssh::runCommand(session, kStore, input, kUploadPatience, interrupt, report));
    if (answerOf(output.output, nonce) != "stored")
        return storeError(output, nonce, agent.bytes.size());
    return {};
}

enum class Start { Greeted, Missing };

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
            TRAINYARD_TRY(const std::string bytes,
                          m_channel.readAvailable(ssh::Channel::Stream::Output, kPiece));
            TRAINYARD_TRY(const std::string errors,
                          m_channel.readAvailable(ssh::Channel::Stream::Errors, kPiece));
            m_errors.append(errors, 0, kMostErrors - std::min(kMostErrors, m_errors.size()));
            m_seen.append(bytes);
            TRAINYARD_TRY(const bool greeted, m_scanner.feed(bytes));
            if (greeted)
                return Start::Greeted;
            if (answerOf(m_seen, m_nonce) == "missing")
                return Start::Missing;
            if (ending && bytes.empty() && errors.empty())
                return refused("the agent does not start: " + explanation(),
                               "log in there with ssh and look");
            if (bytes.empty() && errors.empty())
                m_session.waitForTraffic(interrupt.pollFd(), 200ms);
        }
        return unreachable(
            fmt::format("the agent did not answer within {} s: {}", kGreetingPatience.count(), explanation()),
            "the host's shell start-up files must not wait for input");
    }

    const std::string& rest() const { return m_scanner.rest(); }

private:
    std::string explanation() const
    {
        const std::string words = readable(m_errors.empty() ? m_scanner.noise() : m_errors);
        return words.empty() ? "the host said nothing" : words;
    }

    ssh::Session& m_session;
    ssh::Channel& m_channel;
    const std::string& m_nonce;
    GreetingScanner m_scanner;
    std::string m_seen; // bounded by the scanner, which gives up after 64 KiB
    std::string m_errors;
};

Status writeAllTo(ssh::Session& session, ssh::Channel& channel, std::string_view bytes,
                  const ssh::Interrupt& interrupt)
{
    const auto deadline = ssh::deadlineIn(kGreetingPatience);
    while (!bytes.empty()) {
        if (interrupt.triggered() || std::chrono::steady_clock::now() > deadline)
            return unreachable("the host does not take input");
        TRAINYARD_TRY(const std::size_t put, channel.writeSome(bytes));
        bytes.remove_prefix(put);
        if (put == 0)
            session.waitForTraffic(interrupt.pollFd(), 200ms);
    }
    return {};
}

} // namespace

Result<AgentBinary> AgentBinary::load(const std::string& path)
{
    TRAINYARD_TRY(std::string bytes, readFile(path));
    const std::string sha256 = sha256Hex(bytes);
    return AgentBinary{sha256, std::move(bytes)};
}

Result<AgentChannel> startAgent(ssh::Session& session, const AgentBinary& agent, const std::string& nonce,
                                ssh::Interaction& interaction, const ssh::Interrupt& interrupt)
{
    for (const bool mayStore : {true, false}) {
        interaction.progress("starting the agent");
        session.setBlocking();
        TRAINYARD_TRY(ssh::Channel channel, session.execute(kServe));
        session.setNonBlocking();
        TRAINYARD_TRY_STATUS(
            writeAllTo(session, channel, agent.sha256 + ' ' + nonce + '\n' + nonce + '\n', interrupt));
        StartReader reader(session, channel, nonce);
        TRAINYARD_TRY(const Start start, reader.read(interrupt));
        if (start == Start::Greeted)
            return AgentChannel{std::move(channel), reader.rest()};
        if (mayStore)
            TRAINYARD_TRY_STATUS(storeAgent(session, agent, nonce, interaction, interrupt));
    }
    return unreachable("the agent was stored but is not there");
}

} // namespace trainyard
