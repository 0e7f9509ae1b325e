#pragma once

#include <memory>

#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>

#include "tests/support/lab/lab_link.h"
#include "tests/support/lab/lab_process.h"

namespace trainyard::lab {

/// The system of a host, when it is not this machine's.
struct HostSystem {
    QString root =
        {}; ///< its root file system, a folder of this machine, which is not written to; empty = ours
    QString sharedMemory = {};  ///< size of /dev/shm: "64m"; empty = as much as the host's disk
    QString shell = {};         ///< root's login shell; empty = the system's
    bool isReadOnly = false;    ///< all but /root, /tmp, /var/tmp, /run and /dev/shm
    bool deniesTracing = false; ///< as containers do; see denyTracing()
    QString homeSize = {};      ///< of a disk for /root alone: "900m"; empty = a part of the host's disk
    qint64 homeRate =
        0; ///< bytes per second of that disk, which is a file system of its own then; 0 = memory's
};

/// Why this machine cannot give a host a slow disk, as a sentence for QSKIP; empty when it can.
QString whyNoSlowDisk();

/// One machine of the lab: namespaces of its own for network, host name, processes and mounts, with a private
/// memory disk as its home, /tmp, /run and /dev/shm, a boot id, and a real sshd. Everything else is this
/// machine's, and so is the build, wherever it lies (lab_disks.h); or it is another system (HostSystem),
/// which sees nothing of this machine. Everything in it ends with its first process; the disk stays as long
/// as the lab.
class LabHost {
public:
    struct Options {
        QString name;    ///< host name inside: "node1"
        QString address; ///< "10.77.3.1"
        QString folder;  ///< of the lab; this host's keys and configuration lie under <folder>/<name>
        QString bridge;
        QString link;            ///< name of the network interface on the bridge's side
        QString diskSize;        ///< of the memory disk: "256m"
        QByteArray hostsFile;    ///< /etc/hosts
        QStringList sshdOptions; ///< further lines of sshd_config
        QStringList neighbours;  ///< addresses that it knows without asking (ARP)
        QString disks;           ///< mount namespace of the lab's disks
        QStringList trees;       ///< folders of this machine that it sees at their own paths
        QString sharedFolder;    ///< where the lab's shared folder is seen; empty = nowhere
        HostSystem system = {};
        bool linkTool = false; ///< its cable is the link tool
        quint64 linkSeed = 1;
    };
    explicit LabHost(const Options& options);
    ~LabHost();

    /// Starts its first process; powerOn() is both halves. Several hosts start faster one half after the
    /// other.
    QString beginPowerOn();
    /// Empty when it is up and its sshd answers; otherwise what went wrong.
    QString finishPowerOn();
    QString powerOn();
    /// As if the plug were pulled: every process ends at once. The disk stays.
    void powerOff();
    /// The same disk, empty /tmp, /run and /dev/shm, another boot id; conditions of the link stay.
    QString reboot();

    QString name() const { return m_options.name; }
    QString address() const { return m_options.address; }
    /// Its first process, as this machine counts; 0 while it is off.
    qint64 pid() const { return m_init; }
    /// A path inside the host, as this machine's processes reach it.
    QString path(const QString& inside) const;
    /// Names of what lies in a folder inside, but for the way to the build.
    QStringList filesIn(const QString& folder) const;
    /// Runs a command inside.
    Finished run(const QStringList& command, const QByteArray& input = {}) const;

    /// Mounts a memory disk inside, seen by all that runs there, until the next reboot. `options` as for
    /// tmpfs: "size=1m", "size=1m,nr_inodes=20", "size=1m,ro", "size=16m,noexec". The folder is made.
    QString mountDisk(const QString& inside, const QString& options) const;
    QString remountDisk(const QString& inside, const QString& options) const;
    QString unmountDisk(const QString& inside) const;

    /// Its cable, both directions alike or each its own; only with the link tool. Empty, or what went wrong.
    QString setLink(const link::LinkConditions& both) { return setLink(both, both); }
    QString setLink(const link::LinkConditions& toHost, const link::LinkConditions& fromHost);
    /// As LabLink::counters().
    QJsonObject linkCounters() { return m_cable ? m_cable->counters() : QJsonObject(); }
    /// The interface on the bridge's side, down and up.
    void cutLink();
    void restoreLink();

    void stopSshd();
    bool startSshd();
    /// Kills the sshd processes of open connections; the listening one goes on.
    void resetConnections();
    /// SIGSTOP for the listening sshd: connections are accepted by the kernel, but no banner comes.
    void freezeSshd();
    void thawSshd();
    /// The sshd processes of open connections, as this machine counts: the one with the privileges first.
    QList<qint64> connectionPids() const;
    /// A new host key from here on; sshd is started again.
    bool changeHostKey();
    /// "<address> ssh-ed25519 AAAA…": its line for known_hosts.
    QByteArray knownHostsLine() const;

private:
    QString folder() const { return m_options.folder + '/' + m_options.name; }
    QString group() const;
    QString prepareFiles() const;
    QString awaitInit();
    QString plugIn();
    QString makeCable();
    bool sshdAnswers() const;
    QStringList inside(const QStringList& command) const;
    Finished runTool(const QStringList& command, const QByteArray& input) const;
    qint64 sshdPid() const;

    Options m_options;
    std::unique_ptr<QProcess> m_namespaces;
    std::unique_ptr<LabLink> m_cable;
    link::LinkConditions m_toHost, m_fromHost;
    qint64 m_init = 0; ///< first process inside, as this machine counts
};

} // namespace trainyard::lab
