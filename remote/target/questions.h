#pragma once

#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>

#include "remote/ssh/login_inquiry.h"

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

/// What only a person knows and one hop of a connection needs. The texts are plain (no control characters),
/// but a server's words may still look like anything: show them as plain text.
struct LoginQuestion {
    using Kind = ssh::LoginInquiry::Kind;
    struct Prompt {
        QString text;
        bool echo = false; ///< whether the answer may be seen
    };

    Kind kind = Kind::Password;
    QString host; ///< the hop, as the user calls it
    QString user;
    QString account;            ///< whose secret it is: "alice@[gpu-03]:2222"
    QString via;                ///< jump host in front of it; empty = reached directly
    QString keyFile;            ///< of a Passphrase
    QString title, instruction; ///< of a Challenge: the server's words
    QList<Prompt> prompts;      ///< 1 to 8
    int attempt = 1;            ///< from 2 on the answer before was wrong
    bool reusable = true;       ///< the same answer will do the next time; false for one-time codes
};

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::HostKeyQuestion)
Q_DECLARE_METATYPE(trainyard::HostKeyChange)
Q_DECLARE_METATYPE(trainyard::LoginQuestion)
