#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

namespace trainyard::lab {

/// Folders that programs of the build need wherever they run: the build itself, LibTorch and the wheels.
/// Hosts see them at their own paths, read-only where one lies below a folder that hosts have of their own.
QStringList visibleTrees();
/// A path below the build folder as hosts may also reach it: without blanks, which mpirun takes in no path.
QString seenInHosts(const QString& path);

/// Where the disks of a lab's hosts live: a mount namespace of its own, held by one process, so that disks
/// outlive the hosts' own namespaces (a host that is switched off keeps its disk) and vanish with the lab,
/// also when the test crashes. Inside, /mnt/<host> is a host's disk, /mnt/shared the folder that hosts
/// may share, and /mnt/trees/<n> the n-th of the trees.
class LabDisks {
public:
    ~LabDisks();

    /// `sharedSize` as for tmpfs: "256m". `folder`: an empty one; `trees`: visibleTrees() and others. Empty
    /// when it is there; otherwise what went wrong.
    QString start(const QString& sharedSize, const QString& folder, const QStringList& trees);
    /// The namespace, as nsenter takes it.
    QString mountNamespace() const;

private:
    QProcess m_holder;
};

} // namespace trainyard::lab
