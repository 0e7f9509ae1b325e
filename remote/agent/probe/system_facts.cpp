#include "remote/agent/probe/system_facts.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <span>
#include <sstream>

#include "engine/base/file.h"
#include "engine/base/process.h"
#include "engine/base/processor.h"
#include "remote/agent/host/logind.h"
#include "remote/agent/host/machine.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

/// Processor features that decide which kernels run.
constexpr std::array<std::string_view, 7> kInterestingFlags{"avx2",     "fma",   "avx512f", "avx512_bf16",
                                                            "amx_bf16", "asimd", "bf16"};

constexpr std::chrono::seconds kShellPatience{10};

std::string textOf(const std::filesystem::path& path)
{
    const auto text = readFile(path);
    return text.ok() ? *text : std::string();
}

std::string firstLine(const std::string& text)
{
    return text.substr(0, text.find_first_of(std::string_view("\n\0", 2)));
}

/// The value of the first line `name<separator>value`.
std::string valueOf(const std::string& text, std::string_view name, char separator)
{
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto at = line.find(separator);
        if (!line.starts_with(name) || at == std::string::npos)
            continue;
        const auto start = line.find_first_not_of(" \t\"", at + 1);
        const auto end = line.find_last_not_of(" \t\"");
        return start == std::string::npos ? std::string() : line.substr(start, end - start + 1);
    }
    return {};
}

json interestingFlags(const std::string& cpuinfo)
{
    const std::string all = valueOf(cpuinfo, "flags", ':') + " " + valueOf(cpuinfo, "Features", ':');
    std::istringstream words(all);
    json flags = json::array();
    for (std::string word; words >> word;) {
        if (std::find(kInterestingFlags.begin(), kInterestingFlags.end(), word) != kInterestingFlags.end())
            flags.push_back(word);
    }
    return flags;
}

/// The bytes of an IPv4 or IPv6 address.
std::span<const std::uint8_t> bytesOf(const sockaddr& address)
{
    if (address.sa_family == AF_INET)
        return {
            reinterpret_cast<const std::uint8_t*>(&reinterpret_cast<const sockaddr_in&>(address).sin_addr),
            4};
    return {reinterpret_cast<const sockaddr_in6&>(address).sin6_addr.s6_addr, 16};
}

std::string addressText(const sockaddr& address)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(address.sa_family, bytesOf(address).data(), text.data(), text.size());
    return text.data();
}

int prefixLength(const sockaddr& mask)
{
    int bits = 0;
    for (const std::uint8_t byte : bytesOf(mask))
        bits += std::popcount(byte);
    return bits;
}

/// Addresses that are good on one cable alone (fe80::/10) lead nowhere without the cable's name.
bool isLinkLocal(const sockaddr& address)
{
    return address.sa_family == AF_INET6 &&
           IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

bool isUsable(const ifaddrs& entry)
{
    return entry.ifa_addr && entry.ifa_netmask &&
           (entry.ifa_addr->sa_family == AF_INET || entry.ifa_addr->sa_family == AF_INET6) &&
           !isLinkLocal(*entry.ifa_addr) && (entry.ifa_flags & IFF_UP) && !(entry.ifa_flags & IFF_LOOPBACK);
}

/// A number of /sys/class/net/<interface>; null where the driver does not tell (it says -1 then, or fails).
json linkFact(const std::string& interface, const char* name)
{
    std::int64_t value = -1;
    std::istringstream stream(textOf("/sys/class/net/" + interface + "/" + name));
    return stream >> value && value > 0 ? json(value) : json();
}

} // namespace

std::string osName()
{
    return valueOf(textOf("/etc/os-release"), "PRETTY_NAME", '=');
}

std::string userName()
{
    const char* name = std::getenv("USER");
    return name ? name : "";
}

json cpuFacts()
{
    const std::string cpuinfo = textOf("/proc/cpuinfo");
    const ProcessorMath math = processorMathHere();
    return {{"model", valueOf(cpuinfo, "model name", ':')},
            {"cores", usableCores()},
            {"flags", interestingFlags(cpuinfo)},
            {"narrow_products", {{"bfloat16", nameOf(math.bfloat16)}, {"float16", nameOf(math.float16)}}}};
}

json interfaces()
{
    json list = json::array();
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0)
        return list;
    for (const ifaddrs* entry = first; entry; entry = entry->ifa_next) {
        if (!isUsable(*entry))
            continue;
        list.push_back({{"name", entry->ifa_name},
                        {"address", addressText(*entry->ifa_addr)},
                        {"prefix", prefixLength(*entry->ifa_netmask)},
                        {"speed", linkFact(entry->ifa_name, "speed")},
                        {"mtu", linkFact(entry->ifa_name, "mtu")}});
    }
    ::freeifaddrs(first);
    return list;
}

json logindFacts()
{
    const auto rules = logoutRules();
    if (!rules)
        return {{"kill_user_processes", nullptr}, {"linger", nullptr}};
    return {{"kill_user_processes", rules->killsProcesses},
            {"linger", rules->lingers},
            {"scope", !programInPath("systemd-run").empty()}};
}

json shellFacts()
{
    const char* shell = std::getenv("SHELL");
    if (!shell || !std::getenv("SSH_CLIENT"))
        return nullptr;
    const auto begin = std::chrono::steady_clock::now();
    // With SHLVL bash takes itself for the child of another shell, and leaves its start-up file out.
    const auto output = runCommand({"env", "-u", "SHLVL", shell, "-c", "exit 0"}, kShellPatience);
    const auto took = std::chrono::steady_clock::now() - begin;
    return {{"path", shell},
            {"noise", output.ok() ? output->text.size() : 0},
            {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()}};
}

std::string selinuxDomain()
{
    return firstLine(textOf("/proc/self/attr/current"));
}

std::string selinuxMode()
{
    const std::string enforcing = textOf("/sys/fs/selinux/enforce");
    return enforcing.empty() ? "" : enforcing.starts_with('1') ? "enforcing" : "permissive";
}

} // namespace trainyard::agent
