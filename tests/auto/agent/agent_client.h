#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "remote/wire/frame.h"
#include "remote/wire/greeting.h"

/// A trainyard-agent that serves this test over two pipes. Everything waits with a limit. A reply that does
/// not come is an object with "ok": false and no error, and says in "no_answer" what became of the agent; a
/// word that does not come is an empty object.
class AgentClient {
public:
    /// Longer than any answer takes, also of an agent that has to share its machine.
    static constexpr std::chrono::seconds kPatience{120};

    static const std::string kProgram; ///< the build's agent

    enum class Greeting { Send, Leave };

    /// `launcher`: what starts the agent elsewhere, nsenter into a lab host for example; `program`: the agent
    /// there.
    explicit AgentClient(const std::filesystem::path& root,
                         const std::vector<std::string>& options = {"--local"},
                         Greeting greeting = Greeting::Send, const std::vector<std::string>& launcher = {},
                         const std::string& program = kProgram);
    ~AgentClient();

    /// Sends the request under a fresh id and waits for its reply.
    nlohmann::json call(nlohmann::json request, std::chrono::milliseconds patience = kPatience);
    /// Sends only; the id.
    std::uint32_t send(nlohmann::json request);
    void sendChunk(std::uint32_t id, std::string_view bytes) { sendRaw(trainyard::encodeChunk(id, bytes)); }
    void sendRaw(std::string_view bytes);

    nlohmann::json waitForReply(std::uint32_t id, std::chrono::milliseconds patience = kPatience);
    bool hasReply(std::uint32_t id) const { return m_replies.contains(id); }
    /// Bytes of the chunks that came for this request since the last call; waits until there are at least
    /// `least`.
    std::string takeChunks(std::uint32_t id, std::size_t least = 0,
                           std::chrono::milliseconds patience = kPatience);
    /// The last "received" of an upload.
    std::uint64_t received(std::uint32_t id) const;
    /// The last message without "ok" about this request; waits for the first one.
    nlohmann::json waitForWord(std::uint32_t id, std::chrono::milliseconds patience = kPatience);

    pid_t pid() const { return m_pid; }
    /// SIGKILL to exactly this agent; waits for its end.
    void kill();
    /// Closes the agent's stdin and waits; its exit status.
    int leave();

private:
    bool pump(std::chrono::milliseconds patience);
    void take(const trainyard::Frame& frame);
    int waitForExit();
    std::string howItIs() const;

    std::string m_program;
    pid_t m_pid = 0;
    trainyard::FileDescriptor m_toAgent;
    trainyard::FileDescriptor m_fromAgent;
    trainyard::GreetingScanner m_scanner;
    trainyard::FrameParser m_parser;
    bool m_greeted = false;
    std::uint32_t m_lastId = 0;
    std::map<std::uint32_t, nlohmann::json> m_replies;
    std::map<std::uint32_t, std::string> m_chunks;
    std::map<std::uint32_t, nlohmann::json> m_words;
};
