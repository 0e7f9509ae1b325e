#pragma once

#include <vector>

#include <QJsonObject>
#include <QString>

#include "remote/deploy/bundle.h"

namespace trainyard {

class Target;

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

/// From which host another one gets the files.
struct Feed {
    Target* from = nullptr; ///< null = this computer
    QJsonObject request;    ///< `push` of that host's agent, without the files
};

} // namespace trainyard
