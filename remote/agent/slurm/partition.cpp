#include "remote/agent/slurm/partition.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/counted.h"
#include "engine/base/parsed_number.h"
#include "engine/base/units.h"
#include "remote/agent/slurm/job_facts.h"

namespace trainyard::agent {

namespace {

using std::chrono::minutes;

std::optional<int> numberIn(std::string_view text)
{
    const auto value = parsedNumber<int>(text);
    return value && *value >= 0 ? value : std::nullopt;
}

/// The numbers between the colons; empty when one is none.
std::vector<int> numbersIn(std::string_view text)
{
    std::vector<int> numbers;
    for (;;) {
        const auto colon = text.find(':');
        const auto number = numberIn(text.substr(0, colon));
        if (!number)
            return {};
        numbers.push_back(*number);
        if (colon == std::string_view::npos)
            return numbers;
        text.remove_prefix(colon + 1);
    }
}

std::optional<Partition> parseLine(std::string_view line)
{
    Partition partition;
    partition.name = fieldOf(line, "PartitionName");
    if (partition.name.empty())
        return std::nullopt;
    partition.isDefault = fieldOf(line, "Default") == "YES";
    partition.isUp = fieldOf(line, "State") == "UP";
    partition.nodes = numberIn(fieldOf(line, "TotalNodes")).value_or(0);
    partition.mostNodes = numberIn(fieldOf(line, "MaxNodes"));
    partition.mostTime = parseTimeLimit(fieldOf(line, "MaxTime"));
    return partition;
}

/// Calls `take` with each part of the list; commas inside of parentheses belong to a part.
template <typename Take>
void eachGres(std::string_view gres, Take take)
{
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t at = 0; at <= gres.size(); ++at) {
        if (at < gres.size() && (gres[at] == '(' || gres[at] == ')'))
            depth += gres[at] == '(' ? 1 : -1;
        if (at < gres.size() && (gres[at] != ',' || depth > 0))
            continue;
        take(gres.substr(start, at - start));
        start = at + 1;
    }
}

bool isMeant(const Partition& partition, const std::string& names)
{
    if (names.empty())
        return partition.isDefault;
    const std::string list = "," + names + ",";
    return list.find("," + partition.name + ",") != std::string::npos;
}

std::string timeText(minutes time)
{
    return formatDuration(std::chrono::duration_cast<std::chrono::milliseconds>(time));
}

/// Nodes with a GPU for each slot.
std::ptrdiff_t nodesWithGpus(const Partition& partition, const RunSpec& spec)
{
    const int perNode = spec.cluster.nodes.front().slotCount;
    return std::ranges::count_if(partition.gpus, [&](int gpus) { return gpus >= perNode; });
}

/// Why the job can never run there; empty when it can.
Status fits(const Partition& partition, const RunSpec& spec)
{
    const int asked = static_cast<int>(spec.cluster.nodes.size());
    const int most = std::min(partition.nodes, partition.mostNodes.value_or(partition.nodes));
    if (asked > most)
        return refused(fmt::format("the run requests {} nodes, but Slurm's partition {} allows at most {}",
                                   asked, partition.name, most),
                       "use fewer nodes in cluster.nodes, or another launch.slurm.partition");
    const auto time = std::chrono::duration_cast<minutes>(spec.launch.slurm.timeLimit);
    if (partition.mostTime && time > *partition.mostTime)
        return refused(
            fmt::format("launch.slurm.time_limit is {}, but Slurm's partition {} allows at most {}",
                        timeText(time), partition.name, timeText(*partition.mostTime)),
            "use a shorter one; a run that reaches it can be continued with `trainyard resume`");
    const auto nodes = nodesWithGpus(partition, spec);
    if (spec.launch.device == DeviceKind::Cuda && nodes < asked)
        return refused(
            fmt::format(
                "launch.device \"cuda\" requests {} on each of {}, and Slurm's partition {} has {} with "
                "as many",
                counted(static_cast<std::uint64_t>(spec.cluster.nodes.front().slotCount), "GPU"),
                counted(static_cast<std::uint64_t>(asked), "node"), partition.name,
                counted(static_cast<std::uint64_t>(nodes), "node")),
            "use fewer slots in cluster.nodes, or another launch.slurm.partition");
    if (!partition.isUp)
        return refused("Slurm's partition " + partition.name + " is down",
                       "use another launch.slurm.partition");
    return {};
}

} // namespace

std::vector<Partition> parsePartitions(std::string_view text)
{
    std::vector<Partition> partitions;
    while (!text.empty()) {
        const auto end = text.find('\n');
        if (auto partition = parseLine(text.substr(0, end)))
            partitions.push_back(std::move(*partition));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return partitions;
}

int gpusIn(std::string_view gres)
{
    int count = 0;
    eachGres(gres, [&](std::string_view part) {
        part = part.substr(0, part.find('('));
        if (part == "gpu")
            ++count;
        else if (part.starts_with("gpu:")) // a type alone means one
            count += numberIn(part.substr(part.rfind(':') + 1)).value_or(1);
    });
    return count;
}

void addGpus(std::string_view text, std::vector<Partition>& partitions)
{
    while (!text.empty()) {
        const auto end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        const auto blank = line.find(' ');
        const int gpus = blank == std::string_view::npos ? 0 : gpusIn(line.substr(blank + 1));
        for (Partition& partition : partitions) {
            if (gpus > 0 && partition.name == line.substr(0, blank))
                partition.gpus.push_back(gpus);
        }
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
}

bool requestsGpus(const std::vector<Partition>& partitions, const RunSpec& spec)
{
    if (spec.launch.device != DeviceKind::Auto)
        return spec.launch.device == DeviceKind::Cuda;
    return std::ranges::any_of(partitions, [&](const Partition& partition) {
        return isMeant(partition, spec.launch.slurm.partition) &&
               nodesWithGpus(partition, spec) >= std::ssize(spec.cluster.nodes);
    });
}

std::optional<minutes> parseTimeLimit(std::string_view text)
{
    int days = 0;
    const auto dash = text.find('-');
    if (dash != std::string_view::npos) {
        const auto number = numberIn(text.substr(0, dash));
        if (!number)
            return std::nullopt;
        days = *number;
        text.remove_prefix(dash + 1);
    }
    std::vector<int> parts = numbersIn(text);
    if (parts.empty() || parts.size() > 3)
        return std::nullopt;
    // With days it starts with the hours; without, one or two numbers start with the minutes.
    if (dash == std::string_view::npos && parts.size() < 3)
        parts.insert(parts.begin(), 0);
    parts.resize(3, 0);
    const auto whole = std::chrono::hours(24) * days + std::chrono::hours(parts[0]) + minutes(parts[1]);
    return std::chrono::duration_cast<minutes>(whole) + minutes(parts[2] > 0 ? 1 : 0);
}

Status checkPartitions(const std::vector<Partition>& partitions, const RunSpec& spec)
{
    const std::string& names = spec.launch.slurm.partition;
    Status last;
    bool found = false;
    for (const Partition& partition : partitions) {
        if (!isMeant(partition, names))
            continue;
        found = true;
        if (last = fits(partition, spec); last.ok())
            return {};
    }
    if (found)
        return last;
    std::vector<std::string> known;
    for (const Partition& partition : partitions)
        known.push_back(partition.name);
    return refused(names.empty() ? "Slurm has no default partition" : "Slurm has no partition " + names,
                   fmt::format("launch.slurm.partition can be {}", fmt::join(known, ", ")));
}

} // namespace trainyard::agent
