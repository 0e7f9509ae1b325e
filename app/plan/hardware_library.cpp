#include "app/plan/hardware_library.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

Status HardwareLibrary::store(const std::string& name, const NodeModel& node) const
{
    if (!isHardwareName(name))
        return badInput(fmt::format("\"{}\" is not a valid hardware name", name),
                        "use at most 64 letters, digits and . _ -");
    return writeDeskFile(fileOf(name), toJson(node), parseHardware);
}

} // namespace trainyard
