#pragma once

#include <vector>

#include <QJsonObject>
#include <QPointer>
#include <QString>

#include "remote/deploy/bundle.h"
#include "remote/target/target.h"

namespace trainyard {

/// Files for hosts, and what is to be made of them there. A plain value.
struct Parcel {
    QString what;                   ///< for messages: "the engine"
    std::vector<BundleEntry> files; ///< in the order in which they are sent; an equal content only once
    bool isHere = true;             ///< this computer has the files
    bool mayBeElsewhere = false;    ///< hosts may have the same files outside the store (op `adopt`)
    QJsonObject assembly;           ///< the last request: makes what the files are for
    QString roomHint;               ///< what to do on a host whose disk is too small
};

/// Of an engine: becomes a bundle there.
Parcel parcelOf(const Bundle& bundle);

/// A host that sends the files to another one. A plain value.
struct Feed {
    QPointer<Target> from;
    QJsonObject request; ///< `push` for the agent of `from`; the transfer adds the list of files
    bool hasAll = false; ///< it has all files outside the store; else it sends them as it gets them itself
};

} // namespace trainyard
