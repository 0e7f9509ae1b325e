#pragma once

#include <QMetaType>
#include <QString>

namespace trainyard {

/// A host that has never been seen shows this key; a person compares the fingerprint and decides.
struct HostKeyQuestion {
    QString host;        ///< the name that will be remembered: "gpu-03" or "[gpu-03]:2222"
    QString address;     ///< where the connection went: "10.0.0.3 port 22"
    QString via;         ///< jump host in front of it; empty = reached directly
    QString keyType;     ///< "ssh-ed25519"
    QString fingerprint; ///< "SHA256:…", as `ssh-keygen -l` prints it
};

/// A private key is encrypted. The answer is used once and wiped; nothing stores it.
struct PassphraseQuestion {
    QString host;
    QString keyFile;
    int attempt = 1; ///< 2 and 3 = the passphrase before was wrong
};

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::HostKeyQuestion)
Q_DECLARE_METATYPE(trainyard::PassphraseQuestion)
