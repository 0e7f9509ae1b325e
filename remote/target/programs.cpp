#include "remote/target/programs.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace trainyard {

QString programFolder()
{
    const QString set = qEnvironmentVariable("TRAINYARD_BIN");
    return set.isEmpty() ? QCoreApplication::applicationDirPath() : set;
}

Result<QString> findProgram(const QString& name)
{
    const QString path = programFolder() + '/' + name;
    if (!QFileInfo(path).isExecutable())
        return refused((path + " is missing").toStdString(),
                       "build it, or set TRAINYARD_BIN to the folder that has it");
    return path;
}

} // namespace trainyard
