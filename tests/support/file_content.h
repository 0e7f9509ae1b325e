#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>

namespace trainyard::support {

/// All of a file; empty when it cannot be read.
inline QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace trainyard::support
