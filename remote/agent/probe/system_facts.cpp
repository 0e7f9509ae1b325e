#include "remote/agent/probe/system_facts.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <cstdlib>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sstream>

#include "engine/base/file.h"
#include "remote/agent/host/machine.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

/// Processor features that decide which kernels run.
constexpr std::array<std::string_view, 7> kInterestingFlags{"avx2",     "fma",   "avx512f", "avx512_bf16",
                                                            "amx_bf16", "asimd", "bf16"};

std::string textOf(const std::filesystem::path& path)
{
    const auto text = readFile(path);
    return text.ok() ? *text : std::string();
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

std::string addressText(const sockaddr_in& address)
{
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    return text.data();
}

bool isUsable(const ifaddrs& entry)
{
    return entry.ifa_addr && entry.ifa_netmask && entry.ifa_addr->sa_family == AF_INET &&
           (entry.ifa_flags & IFF_UP) && !(entry.ifa_flags & IFF_LOOPBACK);
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

std::string fileSystemOf(const std::filesystem::path& path)
{
    std::istringstream lines(textOf("/proc/self/mounts"));
    std::error_code ignored;
    const std::string target = std::filesystem::canonical(path, ignored).string();
    std::string best;
    std::string type;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string device;
        std::string mountPoint;
        std::string fileSystem;
        fields >> device >> mountPoint >> fileSystem;
        const bool holds =
            target == mountPoint || target.starts_with(mountPoint == "/" ? "/" : mountPoint + "/");
        if (holds &&
            mountPoint.size() >= best.size()) { // the later of two mounts on one place is the visible one
            best = mountPoint;
            type = fileSystem;
        }
    }
    return type;
}

json cpuFacts()
{
    const std::string cpuinfo = textOf("/proc/cpuinfo");
    return {{"model", valueOf(cpuinfo, "model name", ':')},
            {"cores", usableCores()},
            {"flags", interestingFlags(cpuinfo)}};
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
        const auto& address = *reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
        const auto& mask = *reinterpret_cast<const sockaddr_in*>(entry->ifa_netmask);
        list.push_back({{"name", entry->ifa_name},
                        {"address", addressText(address)},
                        {"prefix", std::popcount(mask.sin_addr.s_addr)}});
    }
    ::freeifaddrs(first);
    return list;
}

json logindFacts()
{
    json facts{{"kill_user_processes", nullptr}, {"linger", nullptr}};
    std::error_code ignored;
    if (!std::filesystem::exists("/run/systemd/seats", ignored))
        return facts; // logind is not at work here
    facts["kill_user_processes"] =
        valueOf(textOf("/etc/systemd/logind.conf"), "KillUserProcesses", '=') == "yes";
    facts["linger"] = std::filesystem::exists("/var/lib/systemd/linger/" + userName(), ignored);
    return facts;
}

} // namespace trainyard::agent
