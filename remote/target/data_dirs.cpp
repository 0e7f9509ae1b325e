#include "remote/target/data_dirs.h"

#include <QStandardPaths>

#include "engine/base/check.h"
#include "engine/base/file.h"

namespace trainyard {

std::filesystem::path dataDir()
{
    if (const QByteArray set = qgetenv("TRAINYARD_DATA"); !set.isEmpty())
        return set.toStdString();
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation).toStdString() + "/trainyard";
}

std::filesystem::path keyringIndexFile()
{
    return dataDir() / "keyring.json";
}

std::filesystem::path runsDir()
{
    return dataDir() / "runs";
}

std::filesystem::path runDir(const QString& runId)
{
    TRAINYARD_CHECK_MSG(isPlainName(runId.toStdString()), runId.toStdString());
    return runsDir() / runId.toStdString();
}

} // namespace trainyard
