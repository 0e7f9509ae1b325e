#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "remote/agent/host/error_tail.h"
#include "remote/wire/frame.h"

namespace trainyard::agent {

/// Where the agent of another host is, as its own client knows.
struct AgentAddress {
    std::string host;   ///< as this host's ssh reaches it
    std::string sha256; ///< of the executable
    std::string root;   ///< absolute
};

/// Speaks to the agent of another host over ssh, with this host's own key. Starts the agent that is there
/// already, and stores none. Blocks; one thread, but for stop().
class NeighbourAgent {
public:
    /// `known`: for sshCommand(), may be empty.
    NeighbourAgent(AgentAddress agent, std::string known)
        : m_agent(std::move(agent)), m_known(std::move(known))
    {
    }
    NeighbourAgent(const NeighbourAgent&) = delete;
    NeighbourAgent& operator=(const NeighbourAgent&) = delete;
    ~NeighbourAgent();

    /// Logs in and starts the agent. Unreachable with ssh's last words; BadInput for a name that ssh could
    /// take for an option, a relative root or a malformed hash.
    Status connect();
    /// Sends a request and returns its reply, or the other agent's error. `interim` gets what comes before.
    Result<nlohmann::json> call(nlohmann::json request,
                                const std::function<void(const nlohmann::json&)>& interim = {});
    /// The two halves of call(), for a request that bytes follow: begin() returns its id. take() reads one
    /// message about it, and returns true when it was the reply.
    Result<std::uint32_t> begin(nlohmann::json request);
    Status sendChunk(std::uint32_t id, std::string_view bytes);
    Result<bool> take(std::uint32_t id, nlohmann::json& message);
    /// Says that this side lives: the other agent ends after a minute of silence.
    Status ping();

    /// Any thread: ends what blocks, with Cancelled.
    void stop() { m_stopped = true; }
    bool isStopped() const { return m_stopped; }

private:
    Status write(std::string_view bytes);
    Result<std::string> read();
    Result<bool> waitFor(int fd, short event, std::chrono::seconds patience);
    Error lost(const std::string& reason);

    AgentAddress m_agent;
    std::string m_known;
    pid_t m_ssh = 0;
    FileDescriptor m_to, m_from;
    ErrorTail m_errors; ///< of ssh
    FrameParser m_parser;
    std::uint32_t m_lastId = 0;
    std::atomic<bool> m_stopped{false};
};

} // namespace trainyard::agent
