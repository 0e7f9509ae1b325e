#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "remote/ssh/interrupt.h"

namespace trainyard::ssh {

/// Filters the traffic between libssh and the user's ssh-agent, because libssh 0.10 offers every key of the
/// agent (servers disconnect after a handful) and waits for ever for an agent that hangs. Passes on only the
/// wanted identities, at most `mostKeys`, and disconnects when the agent is silent for 5 s (30 s while it
/// signs: a person may have to touch a key). Its thread ends with it.
class AgentProxy {
public:
    struct Wish {
        std::vector<std::string> preferred; ///< public key blobs, offered first
        bool onlyPreferred = false;         ///< IdentitiesOnly
        int mostKeys = 4;
    };
    /// Unreachable when no process listens on the agent's socket.
    static Result<AgentProxy> start(const std::filesystem::path& agentSocket, Wish wish,
                                    const Interrupt& interrupt);
    AgentProxy(AgentProxy&&) = default;
    ~AgentProxy();

    /// The socket for ssh_set_agent_socket, which takes it over.
    int releaseClientEnd() { return m_client.release(); }
    /// Number of keys passed on so far.
    int keysShown() const { return *m_keysShown; }

private:
    AgentProxy(FileDescriptor client, FileDescriptor stop, std::shared_ptr<std::atomic<int>> keysShown,
               std::thread thread);

    FileDescriptor m_client;
    FileDescriptor m_stop;                         ///< closing it ends the thread
    std::shared_ptr<std::atomic<int>> m_keysShown; ///< counted by the thread
    std::thread m_thread;
};

/// Reduces the agent's answer to "list your identities" to the keys that `wish` allows; returns any other
/// answer unchanged.
std::string filterIdentities(const std::string& answer, const AgentProxy::Wish& wish);

} // namespace trainyard::ssh
