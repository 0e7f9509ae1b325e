#include "app/plan/hardware_library.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/planner/calibration/probed_node.h"
#include "engine/planner/hardware/hardware_json.h"
#include "engine/planner/hardware/hardware_presets.h"
#include "engine/spec/hardware_name.h"
#include "remote/target/desk_file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

Result<std::optional<NodeModel>> parseHardware(std::string_view text)
{
    ParsedNode parsed = parseNode(text);
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics);
    return std::optional(std::move(parsed.node));
}

} // namespace

std::vector<std::string> HardwareLibrary::names() const
{
    const auto presets = nodePresetNames();
    std::set<std::string> names(presets.begin(), presets.end());
    std::error_code error;
    for (fs::directory_iterator entry(m_folder, error), end; !error && entry != end; entry.increment(error)) {
        const fs::path& file = entry->path();
        if (file.extension() == ".json" && isHardwareName(file.stem().string()))
            names.insert(file.stem().string());
    }
    return {names.begin(), names.end()};
}

Result<NodeModel> HardwareLibrary::find(const std::string& name) const
{
    if (isHardwareName(name)) {
        TRAINYARD_TRY(const auto own, readDeskFile<std::optional<NodeModel>>(fileOf(name), parseHardware));
        if (own)
            return *own;
    }
    if (auto preset = nodePreset(name))
        return std::move(*preset);
    return badInput(fmt::format("there is no hardware \"{}\"", name),
                    fmt::format("known hardware: {}", fmt::join(names(), ", ")));
}

Price HardwareLibrary::priceOf(const RunSpec& spec) const
{
    ClusterModel paid;
    int ranks = spec.layout.worldSize();
    for (const NodeSpec& host : spec.cluster.nodes) {
        if (ranks <= 0)
            break;
        ranks -= host.slotCount;
        const auto node = find(host.hardware);
        if (!node.ok())
            return {};
        paid.parts.push_back({*node, 1});
    }
    if (paid.parts.empty())
        return {};
    return {paid.pricePerHour(), paid.parts.front().node.price.currency,
            paid.governing(spec.precision.compute).price.date};
}

Status HardwareLibrary::store(const std::string& name, const NodeModel& node) const
{
    if (!isHardwareName(name))
        return badInput(fmt::format("\"{}\" is not a valid hardware name", name),
                        "use at most 64 letters, digits and . _ -");
    return writeDeskFile(fileOf(name), toJson(node), parseHardware);
}

namespace {

constexpr std::size_t kMaxHostLength = 56; ///< with "-x9999" still a name

std::string descriptionOf(const std::vector<std::string>& hosts)
{
    const std::string more =
        hosts.size() > 1 ? " and " + std::to_string(hosts.size() - 1) + " more" : std::string();
    return "Measured on " + hosts.front() + more;
}

} // namespace

std::string probedHardwareName(const std::vector<std::string>& hosts)
{
    std::string name = hosts.front().substr(0, kMaxHostLength);
    std::ranges::replace_if(
        name, [](unsigned char sign) { return std::isalnum(sign) == 0 && sign != '.' && sign != '-'; }, '-');
    const auto first = std::ranges::find_if(name, [](unsigned char sign) { return std::isalnum(sign) != 0; });
    name.erase(name.begin(), first);
    if (name.empty())
        name = "hosts";
    return hosts.size() > 1 ? name + "-x" + std::to_string(hosts.size()) : name;
}

Result<NodeModel> keepProbedHardware(const HardwareLibrary& library, const ProbeReport& report,
                                     const std::string& name, const std::string& date)
{
    TRAINYARD_TRY(NodeModel node, probedNode(report, date));
    node.name = name.empty() ? probedHardwareName(report.hardware.hosts) : name;
    if (nodePreset(node.name))
        return badInput("\"" + node.name + "\" is the name of a preset", "choose another name");
    node.description = descriptionOf(report.hardware.hosts);
    if (const auto before = library.find(node.name); before.ok())
        node.price = before->price;
    TRAINYARD_TRY_STATUS(library.store(node.name, node));
    return node;
}

} // namespace trainyard
