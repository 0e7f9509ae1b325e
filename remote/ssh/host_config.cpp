#include "remote/ssh/host_config.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <map>
#include <sstream>

#include <poll.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/host_name.h"
#include "engine/base/process.h"
#include "engine/base/units.h"
#include "remote/ssh/plain_text.h"

namespace trainyard::ssh {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::size_t kMaxSshMessageLength = 500;
constexpr int kMaxNumber = 86'400;     ///< a day of seconds
constexpr std::size_t kMaxDump = kMiB; ///< bytes of each stream

using Values = std::multimap<std::string, std::string, std::less<>>;

std::string homeFolder()
{
    const char* home = std::getenv("HOME");
    return home && *home ? home : "/";
}

std::string localUser()
{
    std::array<char, 4096> buffer;
    passwd entry{};
    passwd* found = nullptr;
    ::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found);
    return found ? found->pw_name : "root";
}

Values readValues(std::string_view dump)
{
    Values values;
    std::istringstream lines{std::string(dump)};
    for (std::string line; std::getline(lines, line);) {
        const auto space = line.find(' ');
        if (space != std::string::npos)
            values.emplace(line.substr(0, space), line.substr(space + 1));
    }
    return values;
}

std::string valueOf(const Values& values, std::string_view key, std::string fallback = {})
{
    const auto found = values.find(key);
    return found == values.end() || found->second == "none" ? std::move(fallback) : found->second;
}

std::vector<std::string> splitAt(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream in{std::string(text)};
    for (std::string part; std::getline(in, part, separator);) {
        if (!part.empty())
            parts.push_back(part);
    }
    return parts;
}

/// The name in the `${NAME}` at this place; empty if there is none.
std::string_view variableAt(std::string_view text, std::size_t at)
{
    if (!text.substr(at).starts_with("${"))
        return {};
    const std::size_t end = text.find('}', at);
    return end == text.npos ? std::string_view() : text.substr(at + 2, end - at - 2);
}

/// `~`, `${NAME}` and the tokens of ssh_config(5) that make sense in a file name.
fs::path expandPath(std::string text, const HostConfig& host)
{
    if (text.starts_with("~/"))
        text.replace(0, 1, homeFolder());
    const std::string here = hostName();
    const std::map<char, std::string> tokens{
        {'d', homeFolder()},
        {'h', host.address},
        {'i', std::to_string(::getuid())},
        {'k', host.hostKeyAlias.empty() ? host.alias : host.hostKeyAlias},
        {'L', here.substr(0, here.find('.'))},
        {'l', here},
        {'n', host.alias},
        {'p', std::to_string(host.port)},
        {'r', host.user},
        {'u', localUser()},
        {'%', "%"},
    };
    std::string expanded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto token = text[i] == '%' && i + 1 < text.size() ? tokens.find(text[i + 1]) : tokens.end();
        if (token != tokens.end()) {
            expanded += token->second;
            ++i;
        } else if (const std::string_view name = variableAt(text, i); !name.empty()) {
            const char* value = std::getenv(std::string(name).c_str());
            expanded += value ? value : ""; // checkVariables() was there before
            i += name.size() + 2;
        } else {
            expanded += text[i];
        }
    }
    return expanded;
}

/// As ssh, which names no file with a part that is missing.
Status checkVariables(const Values& values)
{
    for (const char* key :
         {"identityfile", "certificatefile", "identityagent", "userknownhostsfile", "globalknownhostsfile"}) {
        for (auto [at, end] = values.equal_range(key); at != end; ++at) {
            for (std::size_t i = 0; i < at->second.size(); ++i) {
                const std::string name(variableAt(at->second, i));
                if (!name.empty() && !std::getenv(name.c_str()))
                    return badInput(fmt::format("the ssh configuration has {} {}, and {} is not set", key,
                                                at->second, name),
                                    "set the variable, or write the name of the file in its place");
            }
        }
    }
    return {};
}

std::vector<fs::path> pathList(const Values& values, std::string_view key, const HostConfig& host)
{
    std::vector<fs::path> paths;
    for (const auto& part : splitAt(valueOf(values, key), ' '))
        paths.push_back(expandPath(part, host));
    return paths;
}

std::string agentSocketOf(const Values& values, const HostConfig& host)
{
    const auto found = values.find("identityagent");
    if (found != values.end() && found->second == "none")
        return {};
    if (found != values.end() && found->second != "SSH_AUTH_SOCK")
        return expandPath(found->second, host).string();
    const char* socket = std::getenv("SSH_AUTH_SOCK");
    return socket ? socket : "";
}

bool isOn(const Values& values, std::string_view key, bool fallback)
{
    const std::string value = valueOf(values, key, fallback ? "yes" : "no");
    return value == "yes" || value == "true";
}

int numberOf(const Values& values, std::string_view key, int fallback)
{
    const std::string text = valueOf(values, key);
    int number = fallback;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return std::clamp(number, 0, kMaxNumber);
}

std::optional<std::chrono::seconds> connectTimeoutOf(const Values& values)
{
    const int seconds = numberOf(values, "connecttimeout", 0); // "none" is 0
    return seconds > 0 ? std::optional(std::chrono::seconds(seconds)) : std::nullopt;
}

AddressFamily familyOf(const Values& values)
{
    const std::string family = valueOf(values, "addressfamily");
    return family == "inet"    ? AddressFamily::Inet
           : family == "inet6" ? AddressFamily::Inet6
                               : AddressFamily::Any;
}

std::vector<std::string> noticesOf(const Values& values)
{
    std::vector<std::string> notices;
    const std::string strict = valueOf(values, "stricthostkeychecking");
    if (strict == "false" || strict == "no" || strict == "off")
        notices.push_back("StrictHostKeyChecking no in the ssh configuration is ignored: host keys are "
                          "always checked");
    if (!valueOf(values, "knownhostscommand").empty())
        notices.push_back("KnownHostsCommand in the ssh configuration is ignored: host keys are looked "
                          "up in the known_hosts files");
    return notices;
}

void readHostKeyOptions(const Values& values, HostConfig& host)
{
    const std::string strict = valueOf(values, "stricthostkeychecking");
    host.hostKeyAlias = valueOf(values, "hostkeyalias");
    host.userKnownHosts = pathList(values, "userknownhostsfile", host);
    host.globalKnownHosts = pathList(values, "globalknownhostsfile", host);
    host.hashKnownHosts = isOn(values, "hashknownhosts", false);
    host.askAboutUnknownKeys = strict != "true" && strict != "yes";
}

void readLoginOptions(const Values& values, HostConfig& host)
{
    for (auto [at, end] = values.equal_range("identityfile"); at != end; ++at)
        host.identityFiles.push_back(expandPath(at->second, host));
    for (auto [at, end] = values.equal_range("certificatefile"); at != end; ++at)
        host.certificateFiles.push_back(expandPath(at->second, host));
    host.identitiesOnly = isOn(values, "identitiesonly", false);
    host.agentSocket = agentSocketOf(values, host);
    host.publicKeys = valueOf(values, "pubkeyauthentication") != "false" &&
                      valueOf(values, "pubkeyauthentication") != "no"; // also "unbound", "host-bound"
    host.keyboardInteractive = isOn(values, "kbdinteractiveauthentication", true);
    host.passwords = isOn(values, "passwordauthentication", true);
    host.mayAsk = !isOn(values, "batchmode", false);
    host.passwordPrompts = numberOf(values, "numberofpasswordprompts", host.passwordPrompts);
}

Status readRouteOptions(const Values& values, HostConfig& host)
{
    host.jumpHosts = splitAt(valueOf(values, "proxyjump"), ',');
    host.proxyCommand = valueOf(values, "proxycommand");
    if (!host.proxyCommand.empty() && isOn(values, "proxyusefdpass", false))
        return refused("ProxyUseFdpass in the ssh configuration is not supported",
                       "let the ProxyCommand carry the bytes itself, as `nc %h %p` does");
    host.family = familyOf(values);
    host.connectTimeout = connectTimeoutOf(values);
    host.aliveInterval = std::chrono::seconds(numberOf(values, "serveraliveinterval", 0));
    host.aliveCountMax = numberOf(values, "serveralivecountmax", host.aliveCountMax);
    return {};
}

/// What ssh -G would print where there is no OpenSSH and no configuration.
std::string defaultDump(const HostName& name)
{
    std::string dump =
        fmt::format("hostname {}\nport {}\nuser {}\n", name.host, name.port > 0 ? name.port : 22,
                    name.user.empty() ? localUser() : name.user);
    for (const char* key : {"id_ed25519", "id_ecdsa", "id_rsa"})
        dump += fmt::format("identityfile ~/.ssh/{}\n", key);
    return dump + fmt::format("userknownhostsfile {}/.ssh/known_hosts\n", homeFolder()) +
           "globalknownhostsfile /etc/ssh/ssh_known_hosts\n";
}

/// What to tell when only the OpenSSH client could have read the configuration; empty = there is none.
std::string unreadConfiguration(const HostOverrides& overrides)
{
    const fs::path file = overrides.configFile.empty() ? fs::path(homeFolder()) / ".ssh/config"
                                                       : fs::path(overrides.configFile);
    std::error_code ignored;
    if (overrides.configFile == "none" || !fs::exists(file, ignored))
        return {};
    return file.string() + " is ignored, because only the OpenSSH client (ssh) can read it and it is not "
                           "installed; hosts are reached as user@address:port with the usual key files";
}

std::vector<std::string> sshCommand(const HostName& name, const HostOverrides& overrides)
{
    std::vector<std::string> command{"ssh", "-G"};
    if (!overrides.configFile.empty())
        command.insert(command.end(), {"-F", overrides.configFile});
    if (const int port = overrides.port > 0 ? overrides.port : name.port; port > 0)
        command.insert(command.end(), {"-p", std::to_string(port)});
    const std::string& user = overrides.user.empty() ? name.user : overrides.user;
    if (!user.empty())
        command.insert(command.end(), {"-l", user});
    command.insert(command.end(), {"--", name.host});
    return command;
}

struct SshDump {
    int status = 0; ///< exit status as a shell counts it
    std::string text, errors;
};

/// Reads a stream to its end, or to kMaxDump.
Status collectDump(int fd, std::string& into, const Interrupt& interrupt, Deadline deadline)
{
    std::array<char, 4096> buffer;
    while (into.size() < kMaxDump) {
        switch (interrupt.waitFor(fd, POLLIN, deadline)) {
        case Interrupt::Woken::Interrupted:
            return cancelled("stopped");
        case Interrupt::Woken::TimedOut:
            return unreachable("did not finish in time");
        case Interrupt::Woken::Ready:
            break;
        }
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got <= 0)
            break;
        into.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return {};
}

Result<SshDump> runSsh(std::vector<std::string> command, const Interrupt& interrupt, Deadline deadline)
{
    TRAINYARD_TRY(Pipe out, makePipe());
    TRAINYARD_TRY(Pipe err, makePipe());
    ProcessSpec spec;
    spec.arguments = std::move(command);
    spec.environment = environmentWithout({});
    spec.output = out.write.get();
    spec.errors = err.write.get();
    TRAINYARD_TRY(const pid_t child, startProcess(spec));
    out.write.reset();
    err.write.reset();
    SshDump dump;
    // One after the other: a program that fills the second pipe before ending the first would run into the
    // deadline; ssh -G prints at most a few lines of errors.
    Status status = collectDump(out.read.get(), dump.text, interrupt, deadline);
    if (status.ok())
        status = collectDump(err.read.get(), dump.errors, interrupt, deadline);
    if (!status.ok()) {
        killGroup(child);
        return status.error().in(spec.arguments[0]);
    }
    int how = 0;
    while (::waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    dump.status = shellStatus(how);
    return dump;
}

void applyOverrides(HostConfig& host, const HostOverrides& overrides)
{
    if (!overrides.user.empty())
        host.user = overrides.user;
    if (overrides.port > 0)
        host.port = overrides.port;
    if (!overrides.identityFiles.empty())
        host.identityFiles.assign(overrides.identityFiles.begin(), overrides.identityFiles.end());
    if (!overrides.knownHostsFile.empty()) {
        host.userKnownHosts = {overrides.knownHostsFile};
        host.globalKnownHosts.clear();
    }
    if (!overrides.useAgent)
        host.agentSocket.clear();
}

} // namespace

std::string HostConfig::knownHostsName() const
{
    if (!hostKeyAlias.empty())
        return hostKeyAlias;
    return port == 22 ? address : fmt::format("[{}]:{}", address, port);
}

Result<HostConfig> parseSshConfigDump(const HostName& name, std::string_view dump)
{
    const Values values = readValues(dump);
    HostConfig host;
    host.alias = name.host;
    host.address = valueOf(values, "hostname", name.host);
    host.user = valueOf(values, "user", name.user.empty() ? localUser() : name.user);
    auto port = parsePort(valueOf(values, "port", "22"));
    if (!port.ok())
        return port.error().in("the ssh configuration");
    host.port = *port;
    // HostName may come from a configuration that expands tokens; hold it to the same alphabet.
    if (const auto checked = parseHostName("[" + host.address + "]"); !checked.ok())
        return checked.error().in("HostName in the ssh configuration");
    TRAINYARD_TRY_STATUS(checkVariables(values));
    TRAINYARD_TRY_STATUS(readRouteOptions(values, host));
    readHostKeyOptions(values, host);
    readLoginOptions(values, host);
    host.notices = noticesOf(values);
    return host;
}

Result<HostConfig> resolveHost(const HostName& name, const HostOverrides& overrides,
                               const Interrupt& interrupt)
{
    const auto dump = runSsh(sshCommand(name, overrides), interrupt, deadlineIn(10s));
    if (interrupt.triggered())
        return cancelled("stopped");
    if (dump.ok() && dump->status != 0)
        return badInput("the ssh configuration cannot be used: " +
                            plainText(dump->errors, kMaxSshMessageLength),
                        "`ssh -G " + name.host + "` must work");
    TRAINYARD_TRY(HostConfig host, parseSshConfigDump(name, dump.ok() ? dump->text : defaultDump(name)));
    if (!dump.ok())
        host.notices.push_back(unreadConfiguration(overrides));
    std::erase(host.notices, "");
    applyOverrides(host, overrides);
    return host;
}

} // namespace trainyard::ssh
