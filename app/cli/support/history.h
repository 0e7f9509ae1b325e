#pragma once

#include <memory>

#include "app/runs/run_database.h"
#include "app/runs/run_store.h"

namespace trainyard {

/// The history on this computer for a command: the files and folders of the window, without hosts.
class History {
public:
    /// Adds runs whose folders have appeared since the last use.
    static Result<std::unique_ptr<History>> open();

    RunDatabase& database() { return *m_database; }
    RunStore& store() { return m_store; }
    /// BadInput if there is no such run.
    Result<RunEntry> find(const std::string& runId) const;
    /// The run with its records.
    Result<OpenRun*> read(const std::string& runId);

private:
    explicit History(std::unique_ptr<RunDatabase> database);

    std::unique_ptr<RunDatabase> m_database;
    RunStore m_store;
};

} // namespace trainyard
