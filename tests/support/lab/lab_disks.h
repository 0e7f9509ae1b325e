#pragma once

#include <QProcess>
#include <QString>

namespace trainyard::lab {

/// Where the disks of a lab's hosts live: a mount namespace of its own, held by one process, so that disks
/// outlive the hosts' own namespaces (a host that is switched off keeps its disk) and vanish with the lab,
/// also when the test crashes. Inside, /mnt/<host> is a host's disk and /mnt/shared the folder that hosts
/// may share.
class LabDisks {
public:
    ~LabDisks();

    /// `sharedSize` as for tmpfs: "256m". Empty when it is there; otherwise what went wrong.
    QString start(const QString& sharedSize);
    /// The namespace, as nsenter takes it.
    QString mountNamespace() const;

private:
    QProcess m_holder;
};

} // namespace trainyard::lab
