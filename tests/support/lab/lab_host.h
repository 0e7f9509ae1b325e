#pragma once

#include <memory>

#include <QProcess>
#include <QString>
#include <QStringList>

#include "tests/support/lab/lab_process.h"

namespace trainyard::lab {

/// One machine of the lab: namespaces of its own for network, host name, processes and mounts, with a private
/// memory disk as its home, /tmp, /run and /dev/shm, and a real sshd. Everything in it ends with its first
/// process.
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
    };
    explicit LabHost(const Options& options);
    ~LabHost();

    /// Empty when it is up and its sshd answers; otherwise what went wrong.
    QString start();

    QString name() const { return m_options.name; }
    QString address() const { return m_options.address; }
    /// A path inside the host, as this machine's processes reach it.
    QString path(const QString& inside) const;
    /// Runs a command inside.
    Finished run(const QStringList& command, const QByteArray& input = {}) const;

    void cutLink();
    void restoreLink();
    void stopSshd();
    bool startSshd();
    /// Kills the sshd processes of open connections; the listening one goes on.
    void resetConnections();
    /// SIGSTOP for the listening sshd: connections are accepted by the kernel, but no banner comes.
    void freezeSshd();
    void thawSshd();
    /// A new host key from here on; sshd is started again.
    bool changeHostKey();
    /// "<address> ssh-ed25519 AAAA…": its line for known_hosts.
    QByteArray knownHostsLine() const;

private:
    QString folder() const { return m_options.folder + '/' + m_options.name; }
    QString prepareFiles() const;
    QString plugIn() const;
    QStringList inside(const QStringList& command) const;
    qint64 sshdPid() const;

    Options m_options;
    std::unique_ptr<QProcess> m_namespaces;
    qint64 m_init = 0; ///< first process inside, as this machine counts
};

} // namespace trainyard::lab
