#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/planner/hardware/hardware.h"

namespace trainyard {

/// What nodes are, by name: the user's own, files `<name>.json` of one folder, and the presets. A file of a
/// preset's name takes its place.
class HardwareLibrary {
public:
    /// The folder need not exist.
    explicit HardwareLibrary(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    /// In the order of the alphabet.
    std::vector<std::string> names() const;
    /// BadInput for a name that is not there, with those that are, and for a file with something wrong in it.
    Result<NodeModel> find(const std::string& name) const;
    /// Keeps the user's own under that name. BadInput unless isHardwareName().
    Status store(const std::string& name, const NodeModel& node) const;

private:
    std::filesystem::path fileOf(const std::string& name) const { return m_folder / (name + ".json"); }

    std::filesystem::path m_folder;
};

} // namespace trainyard
