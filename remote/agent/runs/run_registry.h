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

    /// The run's directory; BadInput for a name that is not safe. It need not exist.
    Result<RunFolder> folder(const std::string& run) const;
    /// As folder(), BadInput when there is no such run.
    Result<RunFolder> existing(const std::string& run) const;

    /// Makes the directory in one instant. False when the same run is there already; Refused when another one
    /// is.
    Result<bool> create(const NewRun& run) const;
    /// In order of name, which starts with the time. Runs whose supervisor died are put right first, or are
    /// shown as they were written down last.
    enum class Abandoned { PutRight, Leave };
    std::vector<RunSummary> list(Abandoned abandoned = Abandoned::PutRight) const;
    /// Refused while anything of the run is alive. False when there is no such run. Clears also what an agent
    /// that was killed while it removed a run left.
    Result<bool> remove(const std::string& run) const;

private:
    void clearRemoved() const;

    std::filesystem::path m_root;
};

} // namespace trainyard::agent
