#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

namespace trainyard::lab {

/// A process of a lab host, seen from this machine.
struct LabProcess {
    qint64 pid = 0;         ///< as this machine counts
    qint64 inside = 0;      ///< as the host counts
    qint64 parent = 0;      ///< as this machine counts
    QByteArray name;        ///< "sshd", at most 15 bytes
    QByteArray commandLine; ///< arguments separated by spaces
};

/// The process `root` and all that descend from it, parents before children.
QList<LabProcess> processTree(qint64 root);

} // namespace trainyard::lab
