#pragma once

#include <optional>

#include <QString>

#include "app/base/this_machine.h"
#include "app/base/tone.h"
#include "remote/preflight/host_report.h"

namespace trainyard {

/// Readiness of a host.
enum class HostState {
    NotChecked,
    Checking,
    HostKeyUnknown, ///< waiting for the user to compare the fingerprint
    Ready,
    Warnings, ///< usable, but with warnings
    Blocked,  ///< reachable, but a run cannot work there
    NotReached,
};

QString nameOf(HostState state); ///< one to three words for the user
QChar shapeOf(HostState state);  ///< so that a state is not shown by colour alone
Tone toneOf(HostState state);
Tone toneOf(Verdict verdict);

/// One host of the user.
struct HostEntry {
    QString name;    ///< as passed to ssh, or "localhost"
    QString address; ///< resolved address, if known
    HostState state = HostState::NotChecked;
    QString activity;                 ///< current activity while Checking
    std::optional<HostReport> report; ///< of the last finished check
    QString engine;                   ///< "installed", a version, "not uploaded yet"; empty = not asked

    bool isThisMachine() const { return name == thisMachine(); }
};

} // namespace trainyard
