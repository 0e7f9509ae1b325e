#pragma once

#include <string>
#include <vector>

#include "tests/faults/soak/history.h"

namespace trainyard::soak {

/// What a history shows to be wrong with checkpoints, by engine/checkpoint/FORMAT.md.
///
/// - An attempt goes on from the newest complete checkpoint of the present line, or from the one that a
/// person
///   has gone back to, as the folder was when it began. While the folder or a checkpoint that counts cannot
///   be read, no attempt begins; and nobody is refused a start for the checkpoints' sake at other times.
/// - A complete checkpoint is gone only if as many newer ones of the line were kept as the run keeps, and
/// then in one
///   moment, not file by file. None that is whole or unreadable is set aside, and none is left unless
///   somebody went back.
/// - What the run writes into `latest` names a complete checkpoint; in the end it names the newest one, and
/// no
///   temporary folder is left.
std::vector<std::string> complaintsAboutCheckpoints(const History& history);

} // namespace trainyard::soak
