#pragma once

#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>

namespace trainyard {

/// A host that has never been seen shows this key; a person compares the fingerprint and decides.
struct HostKeyQuestion {
    QString host;        ///< the name that will be remembered: "gpu-03" or "[gpu-03]:2222"
    QString address;     ///< where the connection went: "10.0.0.3 port 22"
    QString via;         ///< jump host in front of it; empty = reached directly
    QString keyType;     ///< "ssh-ed25519"
    QString fingerprint; ///< "SHA256:…", as `ssh-keygen -l` prints it
};

/// A host was refused because it shows another key than those it is known by. Whoever finds that the change
/// is right removes the old ones (host_key_change.h) and connects again, which asks about the new one.
struct HostKeyChange {
    struct Known {
        QString keyType;
        QString fingerprint;
        QString file; ///< of known_hosts
        int line = 0;
    };
    QString host;        ///< the name in known_hosts: "gpu-03" or "[gpu-03]:2222"
    QString address;     ///< where the connection went: "10.0.0.3 port 22"
    QString via;         ///< jump host in front of it; empty = reached directly
    QString keyType;     ///< of the key that it shows
    QString fingerprint; ///< of that key
    QList<Known> known;
    QStringList userFiles; ///< the user's own files of known_hosts
};

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::HostKeyQuestion)
Q_DECLARE_METATYPE(trainyard::HostKeyChange)
