#pragma once

#include <memory>

#include "app/runs/run_database.h"
#include "app/runs/run_store.h"

namespace trainyard {

/// The history of this desk for a command: the window's file and folders, without hosts.
class History {
public:
    /// Takes in runs whose folders have appeared since it was used last.
    static Result<std::unique_ptr<History>> open();

    RunDatabase& library() { return *m_library; }
    RunStore& desk() { return m_desk; }
    /// BadInput for what is no run of this desk.
    Result<RunEntry> find(const std::string& runId) const;
    /// The run with its records.
    Result<OpenRun*> read(const std::string& runId);

private:
    explicit History(std::unique_ptr<RunDatabase> library);

    std::unique_ptr<RunDatabase> m_library;
    RunStore m_desk;
};

} // namespace trainyard
