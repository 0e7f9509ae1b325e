#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/planner/calibration/probe.h"
#include "engine/planner/hardware/hardware.h"
#include "engine/spec/run_spec.h"

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
    /// Price of the hosts that get ranks, together, with the oldest date; perHour 0 unless all have a price
    /// in one currency.
    Price priceOf(const RunSpec& spec) const;
    /// Saves the user's own hardware under that name. BadInput unless isHardwareName().
    Status store(const std::string& name, const NodeModel& node) const;

private:
    std::filesystem::path fileOf(const std::string& name) const { return m_folder / (name + ".json"); }

    std::filesystem::path m_folder;
};

/// Default name of hardware probed on these hosts: "gpu1", or "gpu1-x4" for four.
std::string probedHardwareName(const std::vector<std::string>& hosts);

/// Saves the node described by the probes in the library under `name`, or probedHardwareName() if empty.
/// Keeps the price of existing hardware with that name. `date`: of the calibration. Returns the node with its
/// name. BadInput for the name of a preset; other errors as probedNode() and HardwareLibrary::store().
Result<NodeModel> keepProbedHardware(const HardwareLibrary& library, const ProbeReport& report,
                                     const std::string& name, const std::string& date);

} // namespace trainyard
