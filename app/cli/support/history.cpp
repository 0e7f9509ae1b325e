#include "app/cli/support/history.h"

#include "engine/base/file.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

QString runsFolder()
{
    return QString::fromStdString((dataDir() / "runs").string());
}

} // namespace

History::History(std::unique_ptr<RunDatabase> database)
    : m_database(std::move(database)), m_store(*m_database, runsFolder(), nullptr)
{
}

Result<std::unique_ptr<History>> History::open()
{
    TRAINYARD_TRY_STATUS(makeFolder(dataDir() / "runs"));
    TRAINYARD_TRY(auto database,
                  RunDatabase::open(QString::fromStdString((dataDir() / "history.db").string())));
    return std::unique_ptr<History>(new History(std::move(database)));
}

Result<RunEntry> History::find(const std::string& runId) const
{
    const auto entry = m_database->find(QString::fromStdString(runId));
    if (!entry)
        return badInput("there is no run " + runId,
                        "`trainyard runs` lists the runs; `trainyard attach RUN --host HOST` fetches one");
    return *entry;
}

Result<OpenRun*> History::read(const std::string& runId)
{
    TRAINYARD_TRY(const RunEntry entry, find(runId));
    return m_store.open(entry.id);
}

} // namespace trainyard
