#pragma once

#include "remote/data/folder_fetch.h"

namespace trainyard {

/// Brings a folder of a run's directory to this computer.
class RunFolderFetch : public FolderFetch {
public:
    struct Plan {
        QString host;
        QString runId;
        QString folder;                    ///< in the run's directory, with plain files alone
        std::filesystem::path destination; ///< must not exist
    };
    RunFolderFetch(const Plan& plan, TargetPool& targets, QObject* parent = nullptr)
        : FolderFetch({plan.host,
                       plan.folder,
                       {{"op", "list"}, {"run", plan.runId}, {"folder", plan.folder}},
                       {{"op", "read"}, {"run", plan.runId}, {"file", plan.folder + '/'}},
                       plan.destination},
                      targets, parent)
    {
    }
};

} // namespace trainyard
