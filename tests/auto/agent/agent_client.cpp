#include "tests/auto/agent/agent_client.h"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace trainyard;
using nlohmann::json;
using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

namespace {

const std::string kNonce = "00112233445566778899aabbccddeeff";

milliseconds leftUntil(SteadyClock::time_point deadline)
{
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(deadline - SteadyClock::now()));
}

} // namespace

const std::string AgentClient::kProgram = TRAINYARD_BIN_DIR "/trainyard-agent";

AgentClient::AgentClient(const std::filesystem::path& root, const std::vector<std::string>& options,
                         Greeting greeting, const std::vector<std::string>& launcher,
                         const std::string& program)
    : m_program(program), m_scanner(kNonce)
{
    ::signal(SIGPIPE, SIG_IGN);
    int input[2];
    int output[2];
    if (::pipe2(input, O_CLOEXEC) != 0 || ::pipe2(output, O_CLOEXEC) != 0)
        return;
    std::vector<std::string> arguments = launcher;
    for (const std::string& argument : {program, std::string("serve"), std::string("--root"), root.string()})
        arguments.push_back(argument);
    arguments.insert(arguments.end(), options.begin(), options.end());
    std::vector<char*> pointers;
    for (std::string& argument : arguments)
        pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    m_pid = ::fork();
    if (m_pid == 0) {
        ::dup2(input[0], 0);
        ::dup2(output[1], 1);
        ::execvp(pointers[0], pointers.data());
        ::_exit(127);
    }
    ::close(input[0]);
    ::close(output[1]);
    m_toAgent = FileDescriptor(input[1]);
    m_fromAgent = FileDescriptor(output[0]);
    if (greeting == Greeting::Send)
        sendRaw(kNonce + "\n");
}

AgentClient::~AgentClient()
{
    if (m_pid > 0)
        leave();
}

void AgentClient::sendRaw(std::string_view bytes)
{
    [[maybe_unused]] const Status sent = writeAll(m_toAgent.get(), bytes, "the agent's stdin");
}

std::uint32_t AgentClient::send(json request)
{
    request["id"] = ++m_lastId;
    sendRaw(encodeMessage(request.dump()));
    return m_lastId;
}

json AgentClient::call(json request, milliseconds patience)
{
    return waitForReply(send(std::move(request)), patience);
}

json AgentClient::waitForReply(std::uint32_t id, milliseconds patience)
{
    const auto deadline = SteadyClock::now() + patience;
    while (!m_replies.contains(id) && pump(leftUntil(deadline))) {
    }
    const auto found = m_replies.find(id);
    if (found == m_replies.end())
        return {{"ok", false}, {"no_answer", m_program + ' ' + howItIs()}};
    json reply = std::move(found->second);
    m_replies.erase(found);
    return reply;
}

std::string AgentClient::takeChunks(std::uint32_t id, std::size_t least, milliseconds patience)
{
    const auto deadline = SteadyClock::now() + patience;
    while (m_chunks[id].size() < least && pump(leftUntil(deadline))) {
    }
    return std::exchange(m_chunks[id], {});
}

std::uint64_t AgentClient::received(std::uint32_t id) const
{
    const auto found = m_words.find(id);
    return found == m_words.end() ? 0 : found->second.value("received", std::uint64_t{0});
}

json AgentClient::waitForWord(std::uint32_t id, milliseconds patience)
{
    const auto deadline = SteadyClock::now() + patience;
    while (!m_words.contains(id) && !m_replies.contains(id) && pump(leftUntil(deadline))) {
    }
    return m_words.contains(id) ? m_words[id] : json::object();
}

/// Why an answer may be missing.
std::string AgentClient::howItIs() const
{
    siginfo_t ended{};
    if (m_pid <= 0 || ::waitid(P_PID, static_cast<id_t>(m_pid), &ended, WEXITED | WNOHANG | WNOWAIT) != 0)
        return "did not start";
    if (ended.si_pid == 0)
        return "is at work and does not answer";
    return (ended.si_code == CLD_EXITED ? "ended with status " : "was killed by signal ") +
           std::to_string(ended.si_status);
}

/// False when the time is over or the agent has gone.
bool AgentClient::pump(milliseconds patience)
{
    pollfd wait{m_fromAgent.get(), POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(patience.count())) <= 0)
        return false;
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = ::read(m_fromAgent.get(), buffer.data(), buffer.size());
    if (got <= 0)
        return false;
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    std::string rest;
    if (!m_greeted) {
        const auto greeted = m_scanner.feed(bytes);
        m_greeted = greeted.ok() && *greeted;
        rest = m_greeted ? m_scanner.rest() : std::string();
        bytes = rest;
    }
    m_parser.feed(bytes);
    for (auto frame = m_parser.next(); frame.ok() && frame->has_value(); frame = m_parser.next())
        take(**frame);
    return true;
}

void AgentClient::take(const Frame& frame)
{
    if (frame.type == FrameType::Chunk) {
        m_chunks[frame.request].append(frame.payload);
        return;
    }
    json message = json::parse(frame.payload, nullptr, false);
    const auto id = message.value("id", std::uint32_t{0});
    if (message.contains("ok"))
        m_replies[id] = std::move(message);
    else
        m_words[id] = std::move(message);
}

void AgentClient::kill()
{
    ::kill(m_pid, SIGKILL);
    waitForExit();
}

int AgentClient::leave()
{
    m_toAgent.reset();
    return waitForExit();
}

int AgentClient::waitForExit()
{
    int status = 0;
    ::waitpid(std::exchange(m_pid, 0), &status, 0);
    m_toAgent.reset();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
