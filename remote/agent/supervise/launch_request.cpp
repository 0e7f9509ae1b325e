#include "remote/agent/supervise/launch_request.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/json_problem.h"
#include "engine/spec/device_name.h"
#include "remote/agent/host/ssh_command.h"
#include "remote/wire/bundle_manifest.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

constexpr int kMaxSlots = 4096;
constexpr int kMaxCores = 1'000'000;
constexpr int kMaxAttempts = 1'000'000;
constexpr int kMaxMs = 24 * 3600 * 1000;
constexpr int kMinLeaseMs = 500;
constexpr double kMaxRate = 1e6;
constexpr std::string_view kVariablePrefixes[] = {"NCCL_", "CUDA_",     "OMP_",      "MALLOC_",
                                                  "UCX_",  "OMPI_MCA_", "TRAINYARD_"};

bool consistsOf(std::string_view text, std::string_view further)
{
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               further.find(c) != std::string_view::npos;
    });
}

Status checkHost(const std::string& host)
{
    if (host.empty() || host.size() > 255 || host[0] == '-' || host[0] == '.' || !consistsOf(host, ".-_:"))
        return badInput(fmt::format("nodes: \"{}\" is not a host name or address", host.substr(0, 200)));
    return {};
}

Result<int> wholeNumber(const json& entry, const char* name, int otherwise, int least, int most)
{
    const auto found = entry.find(name);
    if (found == entry.end())
        return otherwise;
    // Compared before the conversion, which would wrap a huge number into the range.
    if (!found->is_number_integer() || *found < least || *found > most)
        return badInput(
            fmt::format("\"{}\" is {}; it must be between {} and {}", name, found->dump(), least, most));
    return found->get<int>();
}

Status readDuration(const json& entry, const char* name, int leastMs, std::chrono::milliseconds& into)
{
    TRAINYARD_TRY(const int ms, wholeNumber(entry, name, int(into.count()), leastMs, kMaxMs));
    into = std::chrono::milliseconds(ms);
    return {};
}

Result<double> rateIn(const json& document)
{
    const auto found = document.find("learning_rate");
    if (found == document.end())
        return 0.0;
    const double rate = found->is_number() ? found->get<double>() : -1;
    if (!(rate >= 0 && rate <= kMaxRate))
        return badInput(
            fmt::format("\"learning_rate\" is {}; it must be between 0 and {}", found->dump(), kMaxRate));
    return rate;
}

Result<LaunchNode> parseNode(const json& entry)
{
    if (!entry.is_object())
        return badInput("nodes: an entry is not an object");
    LaunchNode node;
    node.host = entry.value("host", "");
    node.root = entry.value("root", "");
    TRAINYARD_TRY_STATUS(checkHost(node.host));
    TRAINYARD_TRY(node.slotCount, wholeNumber(entry, "slots", 1, 1, kMaxSlots));
    TRAINYARD_TRY(node.cores, wholeNumber(entry, "cores", 0, 0, kMaxCores));
    node.devices = entry.value("devices", std::vector<std::string>());
    for (const std::string& device : node.devices) {
        if (!isDeviceName(device))
            return badInput(fmt::format("nodes: \"{}\" is not a device", device.substr(0, 200)));
    }
    return node;
}

Status checkVariable(const std::string& name, const json& value)
{
    const bool known = std::any_of(std::begin(kVariablePrefixes), std::end(kVariablePrefixes),
                                   [&](std::string_view prefix) { return name.starts_with(prefix); });
    if (!known || !consistsOf(name, "_") || name == "TRAINYARD_RUN" || name == "TRAINYARD_ATTEMPT")
        return badInput(fmt::format("environment: \"{}\" may not be set", name.substr(0, 100)),
                        fmt::format("names begin with one of {}", fmt::join(kVariablePrefixes, ", ")));
    const bool plain = value.is_string() && std::none_of(value.get_ref<const std::string&>().begin(),
                                                         value.get_ref<const std::string&>().end(),
                                                         [](unsigned char c) { return c < 0x20; });
    if (!plain)
        return badInput(fmt::format("environment: the value of {} is not a string of one line", name));
    return {};
}

Status readEnvironment(const json& document, LaunchRequest& request)
{
    if (!document.contains("environment"))
        return {};
    if (!document["environment"].is_object())
        return badInput("environment is not an object");
    for (const auto& [name, value] : document["environment"].items()) {
        TRAINYARD_TRY_STATUS(checkVariable(name, value));
        request.environment[name] = value.get<std::string>();
    }
    return {};
}

Status readAllocation(const json& document, LaunchRequest& request)
{
    if (!document.contains("slurm"))
        return {};
    const json& slurm = document["slurm"];
    Allocation allocation{slurm.at("job").get<std::string>(), slurm.at("starter").get<std::string>()};
    if (allocation.starter != "mpirun" && allocation.starter != "pmix" && allocation.starter != "pmi2")
        return badInput("slurm.starter is not mpirun, pmix or pmi2");
    request.allocation = std::move(allocation);
    return {};
}

Status checkPrograms(const LaunchRequest& request)
{
    if (request.bundle.empty() == request.programs.empty())
        return badInput("give either a bundle or a folder of installed programs");
    if (!request.bundle.empty() && !isSha256(request.bundle))
        return badInput("bundle is not 64 hex digits");
    if (!request.programs.empty() && !request.programs.is_absolute())
        return badInput("programs is not an absolute path");
    return {};
}

Status check(const LaunchRequest& request)
{
    if (request.nodes.empty())
        return badInput("nodes is empty");
    TRAINYARD_TRY_STATUS(checkKnownHosts(request.knownHosts));
    if (!consistsOf(request.interface, "./_-:,") || request.interface.starts_with('-'))
        return badInput("interface is not a network such as 10.1.0.0/16 or a name such as eth0");
    if (!consistsOf(request.rsh, " ./_-=:,@+") || request.rsh.starts_with('-'))
        return badInput("rsh is not a plain command", "put complex commands into a script and give its name");
    return checkPrograms(request);
}

Result<LaunchRequest> readFields(const json& document)
{
    LaunchRequest request;
    TRAINYARD_TRY(const int attempt, wholeNumber(document, "attempt", 1, 1, kMaxAttempts));
    request.attempt = static_cast<std::uint32_t>(attempt);
    request.bundle = document.value("bundle", "");
    request.programs = document.value("programs", "");
    request.interface = document.value("interface", "");
    request.ipv6 = document.value("ipv6", false);
    TRAINYARD_TRY(request.firstPort, wholeNumber(document, "first_port", 0, 0, UINT16_MAX));
    TRAINYARD_TRY(request.lastPort,
                  wholeNumber(document, "last_port", request.firstPort, request.firstPort, UINT16_MAX));
    request.rsh = document.value("rsh", std::string());
    request.knownHosts = document.value("known_hosts", std::vector<std::string>());
    TRAINYARD_TRY_STATUS(readDuration(document, "stall_ms", 0, request.stallLimit));
    TRAINYARD_TRY_STATUS(readDuration(document, "lease_ms", kMinLeaseMs, request.lease));
    TRAINYARD_TRY_STATUS(readDuration(document, "wait_for_hosts_ms", 0, request.waitForHosts));
    TRAINYARD_TRY_STATUS(readDuration(document, "look_for_hosts_ms", kMinLeaseMs, request.lookForHosts));
    TRAINYARD_TRY(request.restarts.restarts, wholeNumber(document, "restarts", 0, 0, kMaxAttempts));
    TRAINYARD_TRY(request.leastReplicas, wholeNumber(document, "least_replicas", 0, 0, kMaxSlots));
    TRAINYARD_TRY(request.replicas, wholeNumber(document, "replicas", 0, 0, kMaxSlots));
    TRAINYARD_TRY(request.learningRate, rateIn(document));
    request.layout = document.value("layout", std::string());
    request.away = document.value("away", std::vector<std::string>());
    request.restarts.checkpoint = document.value("restarts_since", std::int64_t{0});
    return request;
}

} // namespace

Result<LaunchRequest> parseLaunchRequest(std::string_view text)
try {
    const json document = json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("nodes") || !document["nodes"].is_array())
        return badInput("a launch needs the list \"nodes\"");
    TRAINYARD_TRY(LaunchRequest request, readFields(document));
    for (const json& entry : document["nodes"]) {
        TRAINYARD_TRY(LaunchNode node, parseNode(entry));
        request.nodes.push_back(std::move(node));
    }
    TRAINYARD_TRY_STATUS(readEnvironment(document, request));
    TRAINYARD_TRY_STATUS(readAllocation(document, request));
    TRAINYARD_TRY_STATUS(check(request));
    return request;
} catch (const json::exception& error) {
    return badInput("launch: " + jsonProblem(error, text));
}

std::string toJson(const LaunchRequest& request)
{
    json nodes = json::array();
    for (const LaunchNode& node : request.nodes)
        nodes.push_back({{"host", node.host},
                         {"slots", node.slotCount},
                         {"cores", node.cores},
                         {"root", node.root},
                         {"devices", node.devices}});
    json document{{"attempt", request.attempt},
                  {"bundle", request.bundle},
                  {"programs", request.programs},
                  {"nodes", nodes},
                  {"interface", request.interface},
                  {"ipv6", request.ipv6},
                  {"first_port", request.firstPort},
                  {"last_port", request.lastPort},
                  {"rsh", request.rsh},
                  {"environment", request.environment},
                  {"known_hosts", request.knownHosts},
                  {"stall_ms", request.stallLimit.count()},
                  {"lease_ms", request.lease.count()},
                  {"wait_for_hosts_ms", request.waitForHosts.count()},
                  {"look_for_hosts_ms", request.lookForHosts.count()},
                  {"away", request.away},
                  {"least_replicas", request.leastReplicas},
                  {"replicas", request.replicas},
                  {"learning_rate", request.learningRate},
                  {"layout", request.layout},
                  {"restarts", request.restarts.restarts},
                  {"restarts_since", request.restarts.checkpoint}};
    if (request.allocation)
        document["slurm"] = {{"job", request.allocation->job}, {"starter", request.allocation->starter}};
    return document.dump(2) + "\n";
}

void keepChanges(LaunchRequest& request, const std::filesystem::path& before)
{
    const auto text = readFile(before);
    const auto earlier = text.ok() ? parseLaunchRequest(*text) : Result<LaunchRequest>(text.error());
    if (!earlier.ok())
        return;
    if (request.learningRate == 0)
        request.learningRate = earlier->learningRate;
    if (request.layout.empty())
        request.layout = earlier->layout;
}

std::string hostOfRank(const LaunchRequest& request, int rank)
{
    for (const LaunchNode& node : request.nodes) {
        if (rank < node.slotCount)
            return node.host;
        rank -= node.slotCount;
    }
    return {};
}

} // namespace trainyard::agent
