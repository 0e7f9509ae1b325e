#pragma once

#include <optional>

#include <QString>

#include "app/base/this_machine.h"
#include "app/base/tone.h"
#include "remote/preflight/host_report.h"

namespace trainyard {

/// What the desk knows of a host's readiness.
enum class HostState {
    NotChecked,
    Checking,
    HostKeyUnknown, ///< waits for a person to compare the fingerprint
    Ready,
    Warnings, ///< usable; something should be looked at
    Blocked,  ///< reached, but a run cannot work there
    NotReached,
};

QString nameOf(HostState state); ///< one or two words for people
QChar shapeOf(HostState state);  ///< so that a state is never told by colour alone
Tone toneOf(HostState state);
Tone toneOf(Verdict verdict);

/// One machine of the user.
struct HostEntry {
    QString name;    ///< as she gives it to ssh, or "localhost"
    QString address; ///< where the name leads, as far as it is known
    HostState state = HostState::NotChecked;
    QString activity;                 ///< while Checking: what is happening
    std::optional<HostReport> report; ///< of the last finished check
    QString engine;                   ///< "installed", a version, "not uploaded yet"; empty = not asked

    bool isThisMachine() const { return name == thisMachine(); }
};

} // namespace trainyard
