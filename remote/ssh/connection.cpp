#include "remote/ssh/connection.h"

#include <optional>

#include <fmt/format.h>

#include "remote/ssh/authenticate.h"
#include "remote/ssh/known_hosts_writer.h"
#include "remote/ssh/tcp.h"

namespace trainyard::ssh {

namespace {

constexpr std::size_t kMostJumps = 8;

std::string hopName(const HostConfig& host, const std::string& via)
{
    return via.empty() ? host.alias : fmt::format("{} (through {})", host.alias, via);
}

/// `[user@]host[:port]` of a ProxyJump; an IPv6 address stands in brackets.
Result<HostConfig> resolveJump(std::string text, const HostOverrides& base, const Interrupt& interrupt)
{
    HostOverrides overrides;
    overrides.configFile = base.configFile;
    overrides.useAgent = base.useAgent;
    if (text.starts_with("ssh://"))
        text.erase(0, 6);
    const auto colon = text.rfind(':');
    if (colon != std::string::npos && text.find(']', colon) == std::string::npos) {
        overrides.port = std::atoi(text.c_str() + colon + 1);
        text.resize(colon);
    }
    std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
    TRAINYARD_TRY(const HostName name, parseHostName(text));
    return resolveHost(name, overrides, interrupt);
}

/// The hosts on the way, the last one being the target. Jumps of jumps are the user's to write out in one
/// line.
Result<std::vector<HostConfig>> route(const std::string& host, const HostOverrides& overrides,
                                      const Interrupt& interrupt)
{
    TRAINYARD_TRY(const HostName name, parseHostName(host));
    TRAINYARD_TRY(HostConfig target, resolveHost(name, overrides, interrupt));
    if (target.jumpHosts.size() > kMostJumps)
        return refused(fmt::format("ProxyJump names {} hosts; at most {} are supported",
                                   target.jumpHosts.size(), kMostJumps));
    std::vector<HostConfig> hops;
    for (const auto& jump : target.jumpHosts) {
        auto hop = resolveJump(jump, overrides, interrupt);
        if (!hop.ok())
            return hop.error().in("jump host " + jump);
        if (hops.empty() && !hop->jumpHosts.empty())
            return refused(fmt::format("the jump host {} needs a jump host itself", hop->alias),
                           fmt::format("write the whole way in one line: ProxyJump {},{}",
                                       hop->jumpHosts.front(), hop->alias));
        hops.push_back(std::move(hop).value());
    }
    hops.push_back(std::move(target));
    return hops;
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
        return refused(
            fmt::format("the host shows a key of another type than known: {} ({})", shown, answer.where),
            remove);
    default:
        return refused(
            fmt::format("the host key changed: it is {} now ({} has another); somebody may be in between",
                        shown, answer.where),
            remove);
    }
}

Status remember(const HostConfig& host, const HostKey& key)
{
    if (host.userKnownHosts.empty())
        return badInput("the ssh configuration names no known_hosts file to remember the host key in");
    return rememberHostKey(host.userKnownHosts.front(), host.knownHostsName(), key);
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
    if (answer.verdict != KeyVerdict::Unknown)
        return keyRefusal(answer, host, key);
    const std::string address = fmt::format("{} port {}", host.address, host.port);
    if (!interaction.trustUnknownKey({host.knownHostsName(), address, via, key}))
        return refused(fmt::format("its host key {} {} is not trusted", key.type(), key.fingerprint()),
                       "compare the fingerprint with the one the administrator gives, then accept it");
    return remember(host, key);
}

/// Everything on one hop once its socket is there.
Result<Session> enter(FileDescriptor socket, const HostConfig& host, const std::string& via,
                      std::chrono::seconds timeout, Interaction& interaction, Interrupt& interrupt)
{
    interrupt.guardSocket(socket.get());
    const KnownHosts known = loadKnownHosts(host);
    interaction.progress("exchanging keys with " + hopName(host, via));
    TRAINYARD_TRY(Session session,
                  Session::handshake(std::move(socket), {host.address, host.user, timeout,
                                                         known.knownTypes(host.knownHostsName())}));
    TRAINYARD_TRY_STATUS(verifyHostKey(session, host, known, via, interaction));
    interaction.progress("logging in to " + hopName(host, via));
    TRAINYARD_TRY_STATUS(authenticate(session, host, interaction, interrupt));
    return session;
}

} // namespace

Connection::Connection(std::vector<ForwardPump> jumps, Session session)
    : m_jumps(std::move(jumps)), m_session(std::move(session))
{
}

Result<Connection> Connection::open(const std::string& host, const Options& options, Interaction& interaction,
                                    Interrupt& interrupt)
{
    TRAINYARD_TRY(const auto hops, route(host, options.overrides, interrupt));
    std::vector<ForwardPump> jumps;
    std::optional<Session> session;
    std::string via;
    for (const HostConfig& hop : hops) {
        for (const auto& notice : hop.notices)
            interaction.notice(notice);
        interaction.progress("connecting to " + hopName(hop, via));
        Result<FileDescriptor> socket = failed("not connected");
        if (!session) {
            socket = connectTcp(hop.address, hop.port, interrupt, deadlineIn(options.timeout));
        } else if (auto pump = ForwardPump::start(std::move(*session), hop.address, hop.port); pump.ok()) {
            jumps.push_back(std::move(pump).value());
            socket = jumps.back().takeSocket();
        } else {
            socket = pump.error();
        }
        auto entered =
            socket.ok() ? enter(std::move(socket).value(), hop, via, options.timeout, interaction, interrupt)
                        : Result<Session>(socket.error());
        if (interrupt.triggered())
            return cancelled("the connection to " + host + " was given up");
        if (!entered.ok())
            return entered.error().in(hopName(hop, via));
        session.emplace(std::move(entered).value());
        via = hop.alias;
    }
    return Connection(std::move(jumps), std::move(*session));
}

} // namespace trainyard::ssh
