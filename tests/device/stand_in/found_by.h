#pragma once

#include <functional>

#include <QFile>
#include <QString>
#include <QTemporaryDir>

namespace trainyard {

/// What the stand-ins, in this process, find in what `action` does.
inline QString foundBy(const std::function<void()>& action)
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("findings");
    qputenv("TRAINYARD_STAND_IN_FINDINGS", file.toLocal8Bit());
    action();
    qunsetenv("TRAINYARD_STAND_IN_FINDINGS");
    QFile findings(file);
    return findings.open(QIODevice::ReadOnly) ? QString::fromUtf8(findings.readAll()) : QString();
}

} // namespace trainyard
