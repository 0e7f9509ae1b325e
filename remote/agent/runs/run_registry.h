#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/runs/run_work.h"

namespace trainyard::agent {

struct NewRun {
    std::string run;
    WorkKind kind = WorkKind::Train;
    std::string work;      ///< text of its file (workFile()), kept byte for byte
    std::string inventory; ///< text of inventory.json
};

struct RunSummary {
    std::string run;
    WorkKind kind = WorkKind::Train;
    std::string name;
    RunStatus status;
    bool live = false; ///< its supervisor is at work
};

/// The runs below an agent root.
class RunRegistry {
public:
    explicit RunRegistry(std::filesystem::path root) : m_root(std::move(root)) {}

    /// Returns the run's directory, which need not exist; BadInput for an unsafe name.
    Result<RunFolder> folder(const std::string& run) const;
    /// As folder(), and BadInput when there is no such run.
    Result<RunFolder> existing(const std::string& run) const;

    /// Creates the directory atomically. Returns false when the same run exists already, which then has this
    /// inventory; Refused when a different one does.
    Result<bool> create(const NewRun& run) const;
    /// Lists the runs by name, which starts with the time. Corrects runs whose supervisor died first, or else
    /// shows their last recorded state.
    enum class Abandoned { PutRight, Leave };
    std::vector<RunSummary> list(Abandoned abandoned = Abandoned::PutRight) const;
    /// Refused while anything of the run is alive. Returns false when there is no such run. Also clears the
    /// remains of an interrupted removal.
    Result<bool> remove(const std::string& run) const;

private:
    void clearRemoved() const;

    std::filesystem::path m_root;
};

} // namespace trainyard::agent
