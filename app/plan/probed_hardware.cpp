#include "app/plan/probed_hardware.h"

#include <algorithm>
#include <cctype>

#include "engine/planner/calibration/probed_node.h"
#include "engine/planner/hardware/hardware_presets.h"

namespace trainyard {

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
