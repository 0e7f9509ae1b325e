#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/ids.h"

namespace trainyard {

/// The name of a checkpoint's folder, which says what became of it (engine/checkpoint/FORMAT.md):
///     step-000001200                   a checkpoint of the present line
///     step-000001200.line-1            of a line that the run has left
///     step-000001200.damaged           set aside, because its content is wrong
///     step-000001200.line-1.damaged-2  both; the second one of that step
struct CheckpointName {
    Step step;
    int line = 0;    ///< the line that was left; 0 = the present one
    int damaged = 0; ///< set aside as the nth of its step; 0 = not set aside

    bool isPresent() const { return line == 0 && damaged == 0; }
    /// Orders two checkpoints of one step by which of them the step means: that of the present line, else of
    /// the line abandoned last.
    bool comesBefore(const CheckpointName& other) const
    {
        return other.line > 0 && (line == 0 || line > other.line);
    }
    std::string text() const;
    /// nullopt for any other name.
    static std::optional<CheckpointName> parse(std::string_view text);

    auto operator<=>(const CheckpointName&) const = default;
};

} // namespace trainyard
