#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/planner/hardware/hardware.h"

namespace trainyard {

/// Node models by name: the user's own, files `<name>.json` in one folder, and the presets. A file with the
/// name of a preset overrides it.
class HardwareLibrary {
public:
    /// The folder need not exist.
    explicit HardwareLibrary(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    /// Sorted alphabetically.
    std::vector<std::string> names() const;
    /// BadInput for an unknown name, with the known ones, and for an invalid file.
    Result<NodeModel> find(const std::string& name) const;
    /// Saves the user's own hardware under that name. BadInput unless isHardwareName().
    Status store(const std::string& name, const NodeModel& node) const;

private:
    std::filesystem::path fileOf(const std::string& name) const { return m_folder / (name + ".json"); }

    std::filesystem::path m_folder;
};

} // namespace trainyard
