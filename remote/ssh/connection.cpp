#include "remote/ssh/connection.h"

#include <optional>

#include <fmt/format.h>

#include "remote/ssh/authenticate.h"
#include "remote/ssh/known_hosts_writer.h"
#include "remote/ssh/route.h"
#include "remote/ssh/tcp.h"

namespace trainyard::ssh {

namespace {

std::string hopName(const HostConfig& host, const std::string& via)
{
    return via.empty() ? host.alias : fmt::format("{} (via {})", host.alias, via);
}

Error keyRefusal(const KeyAnswer& answer, const HostConfig& host, const HostKey& key)
{
    const std::string shown = fmt::format("{} {}", key.type(), key.fingerprint());
    const std::string remove = fmt::format(
        "ask the host's administrator; if the key really changed, remove the old one: ssh-keygen -R '{}'",
        host.knownHostsName());
    switch (answer.verdict) {
    case KeyVerdict::Revoked:
        return refused(fmt::format("the host key {} is revoked ({})", shown, answer.where),
                       "do not connect to it");
    case KeyVerdict::OtherType:
        return refused(fmt::format("the host presents a key of another type than the known one: {} ({})",
                                   shown, answer.where),
                       remove);
    default:
        return refused(fmt::format("the host key changed: it is now {} ({} has a different key); this may be "
                                   "a man-in-the-middle attack",
                                   shown, answer.where),
                       remove);
    }
}

Status remember(const HostConfig& host, const HostKey& key)
{
    if (host.userKnownHosts.empty())
        return badInput("the ssh configuration names no known_hosts file to store the host key in");
    return rememberHostKey(host.userKnownHosts.front(), host.knownHostsName(), key,
                           host.hashKnownHosts ? NameForm::Hashed : NameForm::Plain);
}

KnownHosts loadKnownHosts(const HostConfig& host)
{
    auto files = host.userKnownHosts;
    files.insert(files.end(), host.globalKnownHosts.begin(), host.globalKnownHosts.end());
    return KnownHosts::load(files);
}

Status verifyHostKey(const Session& session, const HostConfig& host, const KnownHosts& known,
                     const std::string& via, Interaction& interaction)
{
    const HostKey key = session.hostKey();
    if (key.type().empty())
        return refused("the host's key cannot be read");
    const KeyAnswer answer = known.check(host.knownHostsName(), key);
    for (const auto& notice : answer.notices)
        interaction.notice(notice);
    if (answer.verdict == KeyVerdict::Trusted)
        return {};
    const std::string address = fmt::format("{} port {}", host.address, host.port);
    if (answer.verdict == KeyVerdict::Changed || answer.verdict == KeyVerdict::OtherType)
        interaction.hostKeyChanged({host.knownHostsName(), address, via, key,
                                    known.keysOf(host.knownHostsName()), host.userKnownHosts});
    if (answer.verdict != KeyVerdict::Unknown)
        return keyRefusal(answer, host, key);
    if (!known.unreadable().empty())
        return refused("the host keys in " + known.unreadable().front() + " cannot be read",
                       "make the file readable, or remove it from the ssh configuration");
    const std::string shown = fmt::format("{} {}", key.type(), key.fingerprint());
    if (!host.askAboutUnknownKeys)
        return refused(
            fmt::format("its host key {} is not known, and StrictHostKeyChecking in the ssh "
                        "configuration allows no new ones",
                        shown),
            fmt::format("compare the fingerprint and add the key to {}",
                        host.userKnownHosts.empty() ? "known_hosts" : host.userKnownHosts.front().string()));
    if (!interaction.trustUnknownKey({host.knownHostsName(), address, via, key}))
        return refused(fmt::format("its host key {} is not trusted", shown),
                       "compare the fingerprint with the one the administrator gives, then accept it");
    return remember(host, key);
}

/// A connection that grows hop by hop.
class Opening {
public:
    Opening(const Connection::Options& options, Interaction& interaction, Interrupt& interrupt)
        : m_options(options), m_interaction(interaction), m_interrupt(interrupt)
    {
    }

    Status enter(const HostConfig& hop)
    {
        for (const auto& notice : hop.notices)
            m_interaction.notice(notice);
        Status entered = approach(hop);
        if (m_interrupt.triggered())
            return cancelled("the connection attempt was cancelled");
        if (!entered.ok())
            return explained(entered.error()).in(hopName(hop, m_via));
        m_via = hop.alias;
        return {};
    }

    std::unique_ptr<ProxyCommand> takeProxy() { return std::move(m_proxy); }
    std::vector<ForwardPump> takeJumps() { return std::move(m_jumps); }
    Session takeSession() { return std::move(*m_session); }

private:
    std::chrono::seconds timeoutOf(const HostConfig& hop) const
    {
        return hop.connectTimeout.value_or(m_options.timeout);
    }

    Result<FileDescriptor> reach(const HostConfig& hop)
    {
        m_interaction.progress("connecting to " + hopName(hop, m_via));
        if (m_session) {
            TRAINYARD_TRY(auto pump, ForwardPump::start(std::move(*m_session), hop.address, hop.port));
            m_jumps.push_back(std::move(pump));
            return m_jumps.back().takeSocket();
        }
        if (hop.proxyCommand.empty())
            return connectTcp({hop.address, hop.port, hop.family}, m_interrupt, deadlineIn(timeoutOf(hop)));
        TRAINYARD_TRY(const std::string command, expandProxyCommand(hop));
        TRAINYARD_TRY(ProxyCommand proxy, ProxyCommand::start(command));
        m_proxy = std::make_unique<ProxyCommand>(std::move(proxy));
        return m_proxy->takeSocket();
    }

    Status approach(const HostConfig& hop)
    {
        TRAINYARD_TRY(FileDescriptor socket, reach(hop));
        m_interrupt.guardSocket(socket.get());
        const KnownHosts known = loadKnownHosts(hop);
        m_interaction.progress("exchanging keys with " + hopName(hop, m_via));
        TRAINYARD_TRY(Session session,
                      Session::handshake(std::move(socket), {hop.address, hop.user, timeoutOf(hop),
                                                             known.knownTypes(hop.knownHostsName())}));
        TRAINYARD_TRY_STATUS(verifyHostKey(session, hop, known, m_via, m_interaction));
        m_interaction.progress("logging in to " + hopName(hop, m_via));
        TRAINYARD_TRY_STATUS(authenticate(session, {hop, m_via}, m_interaction, m_interrupt));
        m_interaction.loggedIn(hop.account());
        m_session.emplace(std::move(session));
        return {};
    }

    /// Only the ProxyCommand knows why a connection through it ended.
    Error explained(Error error) const
    {
        const bool isItsFault = m_proxy && m_jumps.empty() && error.kind == ErrorKind::Unreachable;
        if (const std::string words = isItsFault ? m_proxy->lastWords() : std::string(); !words.empty())
            error.message += "; " + words;
        return error;
    }

    const Connection::Options& m_options;
    Interaction& m_interaction;
    Interrupt& m_interrupt;
    std::unique_ptr<ProxyCommand> m_proxy;
    std::vector<ForwardPump> m_jumps;
    std::optional<Session> m_session; ///< with the hop that was entered last
    std::string m_via;                ///< that hop
};

} // namespace

Connection::Connection(std::unique_ptr<ProxyCommand> proxy, std::vector<ForwardPump> jumps, Session session,
                       HostConfig host)
    : m_proxy(std::move(proxy))
    , m_jumps(std::move(jumps))
    , m_session(std::move(session))
    , m_host(std::move(host))
{
}

Result<Connection> Connection::open(const std::string& host, const Options& options, Interaction& interaction,
                                    Interrupt& interrupt)
{
    TRAINYARD_TRY(auto hops, findRoute(host, options.overrides, interrupt));
    Opening opening(options, interaction, interrupt);
    for (const HostConfig& hop : hops)
        TRAINYARD_TRY_STATUS(opening.enter(hop));
    return Connection(opening.takeProxy(), opening.takeJumps(), opening.takeSession(),
                      std::move(hops.back()));
}

} // namespace trainyard::ssh
