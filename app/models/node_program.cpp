#include "app/models/node_program.h"

#include <QCoreApplication>

namespace trainyard {

QString nodeProgram(const QString& name)
{
    const QString folder = qEnvironmentVariable("TRAINYARD_BIN", QCoreApplication::applicationDirPath());
    return folder + QLatin1Char('/') + name;
}

} // namespace trainyard
