#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/faults/soak/history.h"

namespace trainyard::soak {

/// The parts of "step-000000040.line-2.damaged-3".
struct NameParts {
    std::int64_t step = 0;
    int line = 0;    ///< 0 = the present one
    int damaged = 0; ///< 0 = not set aside

    bool isPresent() const { return line == 0 && damaged == 0; }
};

/// Nothing for the name of anything else.
std::optional<NameParts> partsOf(const std::string& name);

/// Whether a person has written the name of an older checkpoint, or of one of another line, into `latest`:
/// that one.
std::optional<NameParts> askedFor(const FolderSeen& folder);

/// Where a start begins.
struct RightStart {
    std::optional<std::int64_t> step; ///< nothing: it is to be refused
    std::string reason;               ///< why it is to be refused
};

/// "Which checkpoint a start takes" of engine/checkpoint/FORMAT.md, worked out anew from what the folder
/// held, without the product's code. Enough of it for what the nemesis does: of other lines it asks for whole
/// checkpoints only.
RightStart rightStart(const FolderSeen& folder);

} // namespace trainyard::soak
