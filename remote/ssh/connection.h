#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/ssh/forward_pump.h"
#include "remote/ssh/host_config.h"
#include "remote/ssh/interaction.h"
#include "remote/ssh/interrupt.h"
#include "remote/ssh/proxy_command.h"
#include "remote/ssh/session.h"

namespace trainyard::ssh {

/// An authenticated session with a host, through its jump hosts or its ProxyCommand. Checks the key of every
/// hop with our own reading of known_hosts, and authenticates to every hop with the user's keys; forwards
/// nothing to a jump host.
class Connection {
public:
    struct Options {
        HostOverrides overrides;          ///< for the last hop; jump hosts follow the ssh configuration
        std::chrono::seconds timeout{10}; ///< for each step of each hop that has no ConnectTimeout
    };

    /// Blocks for as long as persons and hosts take; interrupt.trigger() ends it immediately. Errors name the
    /// hop. Refused = retrying will not help (host key, authentication); Unreachable = it may.
    static Result<Connection> open(const std::string& host, const Options& options, Interaction& interaction,
                                   Interrupt& interrupt);

    Session& session() { return m_session; }
    /// The last hop, as the ssh configuration describes it.
    const HostConfig& host() const { return m_host; }

private:
    Connection(std::unique_ptr<ProxyCommand> proxy, std::vector<ForwardPump> jumps, Session session,
               HostConfig host);

    std::unique_ptr<ProxyCommand> m_proxy; // these two before the session that runs through them
    std::vector<ForwardPump> m_jumps;
    Session m_session;
    HostConfig m_host;
};

} // namespace trainyard::ssh
