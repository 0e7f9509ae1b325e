#pragma once

#include <memory>
#include <vector>

#include <QList>
#include <QString>
#include <QTemporaryDir>

#include "engine/base/file.h"
#include "remote/target/target_options.h"
#include "tests/support/lab/lab_disks.h"
#include "tests/support/lab/lab_host.h"

namespace trainyard::lab {

/// Hosts, up to 200, with real sshd on a network of their own, made of Linux namespaces and gone afterwards,
/// also when the test crashes. Several labs may exist at once; each takes a network 10.77.<n>.0/24.
class NetnsLab {
public:
    struct Options {
        int hosts = 1;
        QString diskSize = "256m"; ///< of each host, memory
        QStringList sshdOptions;
        QString sharedFolder = {}; ///< a folder that all hosts share: "/root" (the home), "/root/x" or "/srv"
        QStringList trees = {};    ///< further folders of this machine that hosts see as they see the build
        QList<HostSystem> systems = {}; ///< of the first hosts, when they are not this machine's
        bool linkTools = false;         ///< every host's cable is the link tool; see LabHost::setLink()
        quint64 seed = 1;               ///< of the link tools' decisions
    };
    /// Why this machine cannot have a lab, as a sentence for QSKIP; empty when it can.
    static QString whyNot();

    explicit NetnsLab(const Options& options);
    ~NetnsLab();

    /// Empty when all hosts are up.
    QString start();
    LabHost& host(int index) { return *m_hosts[static_cast<std::size_t>(index)]; }
    int hostCount() const { return m_options.hosts; }

    /// The client's files. The key opens every host, and the hosts each other.
    QString file(const QString& name) const { return m_folder.filePath(name); }
    QString clientKey() const { return file("client_key"); }
    QString knownHosts() const { return file("known_hosts"); }
    /// Writes known_hosts with the hosts' present keys.
    void trustHosts();

    /// This machine loses the lab's network and gets it back; the hosts still reach each other.
    void cutDesk();
    void restoreDesk();
    /// Bytes that this machine has sent into the lab's network so far; those between hosts do not count.
    qint64 bytesFromDesk() const;

    /// Reaches the hosts with the lab's key and known_hosts and nothing of the user's.
    TargetOptions targetOptions() const;

private:
    QString makeBridge();
    QString makeHosts();
    QString addressOf(int host) const;
    LabHost::Options hostOptions(int number, const QByteArray& hostsFile) const;
    QByteArray knownHostsLines() const;
    QString deskAddress() const;
    QStringList trees() const;

    Options m_options;
    QTemporaryDir m_folder;
    FileDescriptor m_slot; ///< this lab's number is taken
    int m_number = -1;
    QString m_bridge;
    LabDisks m_disks; // before the hosts, which live on them
    std::vector<std::unique_ptr<LabHost>> m_hosts;
};

} // namespace trainyard::lab
