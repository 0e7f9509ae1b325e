#pragma once

#include <QByteArray>
#include <QString>

#include "tests/support/lab/lab_host.h"

namespace trainyard::lab {

/// Further users of one lab host, seen by it alone: its /etc/passwd and /etc/shadow are files of its own from
/// here on. Their homes lie under /mnt/users, and the lab's key opens them. The host's sshd needs
/// kSshdOptions.
class LabAccounts {
public:
    explicit LabAccounts(const LabHost& host) : m_host(host) {}

    /// Lines for NetnsLab::Options::sshdOptions; further `Match` blocks may follow.
    static QStringList sshdOptions();

    struct Account {
        QString name;
        QString shell = "/bin/bash";
        QString password;     ///< empty = none opens it
        bool expired = false; ///< the password has to be changed
    };
    /// Empty, or what went wrong.
    QString add(const Account& account);
    static QString home(const QString& name) { return "/mnt/users/" + name; }

private:
    QString begin();
    QString append(const QString& file, const QByteArray& line) const;

    const LabHost& m_host;
    int m_nextId = 0; ///< 0 = the files are still those of this machine
};

} // namespace trainyard::lab
