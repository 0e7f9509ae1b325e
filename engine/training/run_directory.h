#pragma once

#include <filesystem>

#include "engine/base/ids.h"

namespace trainyard {

/// Paths in a run's directory. Holds no state and touches no file.
class RunDirectory {
public:
    explicit RunDirectory(std::filesystem::path root) : m_root(std::move(root)) {}

    const std::filesystem::path& root() const { return m_root; }
    std::filesystem::path spec() const { return m_root / "spec.json"; }
    std::filesystem::path journals() const { return m_root / "journal"; }
    std::filesystem::path checkpoints() const { return m_root / "checkpoints"; }
    /// What section init meant when the run began.
    std::filesystem::path initialWeights() const { return m_root / "init.json"; }
    std::filesystem::path ranks() const { return m_root / "ranks"; }
    std::filesystem::path log(Rank rank) const;
    /// Its existence asks the run to publish a checkpoint and end.
    std::filesystem::path stopRequest() const { return m_root / "control" / "stop"; }
    /// Its existence asks for a checkpoint; removed when that is begun.
    std::filesystem::path checkpointRequest() const { return m_root / "control" / "checkpoint"; }

private:
    std::filesystem::path m_root;
};

} // namespace trainyard
