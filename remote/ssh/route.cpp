#include "remote/ssh/route.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard::ssh {

namespace {

constexpr std::size_t kMaxHops = 16;

bool isSamePlace(const HostConfig& one, const HostConfig& other)
{
    return one.address == other.address && one.port == other.port && one.user == other.user;
}

class RouteFinder {
public:
    RouteFinder(const HostOverrides& overrides, const Interrupt& interrupt) : m_interrupt(interrupt)
    {
        // What the user gave by hand is meant for the last host.
        m_jumpOverrides.configFile = overrides.configFile;
        m_jumpOverrides.useAgent = overrides.useAgent;
    }

    Status append(const HostConfig& host)
    {
        const auto isHost = [&](const HostConfig& before) { return isSamePlace(before, host); };
        if (std::any_of(m_pending.begin(), m_pending.end(), isHost))
            return refused("the jump hosts form a loop: " + pendingNames() + host.alias,
                           "correct ProxyJump in the ssh configuration");
        m_pending.push_back(host);
        TRAINYARD_TRY_STATUS(appendJumps(host));
        m_pending.pop_back();
        if (m_route.size() == kMaxHops)
            return refused(fmt::format("the route to it has more than {} hosts", kMaxHops),
                           "shorten ProxyJump in the ssh configuration");
        m_route.push_back(host);
        return {};
    }

    std::vector<HostConfig> takeRoute() { return std::move(m_route); }

private:
    Status appendJumps(const HostConfig& host)
    {
        bool first = true;
        for (const auto& text : host.jumpHosts) {
            auto jump = resolveJump(text);
            if (!jump.ok())
                return jump.error().in("jump host " + text);
            if (isSamePlace(*jump, host))
                continue; // `Host *` with a ProxyJump names the jump host too
            // The others are reached from the host before them, whatever their own configuration says.
            if (!std::exchange(first, false)) {
                jump->jumpHosts.clear();
                jump->proxyCommand.clear();
            }
            TRAINYARD_TRY_STATUS(append(*jump));
        }
        return {};
    }

    Result<HostConfig> resolveJump(const std::string& text) const
    {
        TRAINYARD_TRY(const HostName name, parseHostName(text));
        return resolveHost(name, m_jumpOverrides, m_interrupt);
    }

    std::string pendingNames() const
    {
        std::string names;
        for (const HostConfig& host : m_pending)
            names += host.alias + ", ";
        return names;
    }

    const Interrupt& m_interrupt;
    HostOverrides m_jumpOverrides;
    std::vector<HostConfig> m_pending; ///< hosts whose jump hosts are being found
    std::vector<HostConfig> m_route;
};

} // namespace

Result<std::vector<HostConfig>> findRoute(const std::string& host, const HostOverrides& overrides,
                                          const Interrupt& interrupt)
{
    TRAINYARD_TRY(const HostName name, parseHostName(host));
    TRAINYARD_TRY(const HostConfig target, resolveHost(name, overrides, interrupt));
    RouteFinder finder(overrides, interrupt);
    TRAINYARD_TRY_STATUS(finder.append(target));
    return finder.takeRoute();
}

} // namespace trainyard::ssh
