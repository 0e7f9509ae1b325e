#pragma once

#include <filesystem>
#include <string>

#include "engine/base/file.h"
#include "tests/faults/soak/fault_plan.h"
#include "tests/faults/soak/history.h"

namespace trainyard::soak {

/// Does to a run's folder `checkpoints` what disks, people and crashes do. Nobody may write there meanwhile.
class CheckpointHarm {
public:
    explicit CheckpointHarm(std::filesystem::path checkpoints) : m_folder(std::move(checkpoints)) {}

    /// `folder`: as it is. What was done, in a few words; empty when there was nothing to do it to.
    std::string inflict(FaultKind kind, int variant, const FolderSeen& folder);
    /// Makes readable what cannot be read.
    void undo(FaultKind kind);
    /// Removes what was set aside and left, as a person does, when it has become much. What was done.
    std::string tidyUp(const FolderSeen& folder) const;

private:
    std::string goBack(int variant, const FolderSeen& folder) const;
    std::string leaveTemporary() const;
    std::string hide(const std::filesystem::path& file);
    void show(const std::string& name) const;

    std::filesystem::path m_folder;
    FileDescriptor m_place; ///< folder of the file that cannot be read: a run may rename it
};

/// Complete checkpoints of the present line, newest first.
std::vector<std::string> completeInLine(const FolderSeen& folder);

} // namespace trainyard::soak
