#include "app/base/this_machine.h"

#include <QCoreApplication>

namespace trainyard {

QString nodeProgram(const QString& name)
{
    const QString folder = qEnvironmentVariable("TRAINYARD_BIN", QCoreApplication::applicationDirPath());
    return folder + QLatin1Char('/') + name;
}

} // namespace trainyard
