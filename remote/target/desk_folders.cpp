#include "remote/target/desk_folders.h"

#include <QStandardPaths>

#include "engine/base/check.h"
#include "engine/base/file.h"

namespace trainyard {

std::filesystem::path deskDataFolder()
{
    if (const QByteArray set = qgetenv("TRAINYARD_DATA"); !set.isEmpty())
        return set.toStdString();
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation).toStdString() + "/trainyard";
}

std::filesystem::path keyringIndexFile()
{
    return deskDataFolder() / "keyring.json";
}

std::filesystem::path deskRunsFolder()
{
    return deskDataFolder() / "runs";
}

std::filesystem::path deskRunFolder(const QString& runId)
{
    TRAINYARD_CHECK_MSG(isPlainName(runId.toStdString()), runId.toStdString());
    return deskRunsFolder() / runId.toStdString();
}

} // namespace trainyard
