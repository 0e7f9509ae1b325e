#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// One thing that is wrong with a specification, tied to the field that the user can change.
struct Diagnostic {
    std::string path;    ///< JSON path of the field: "batch.micro", "cluster.nodes[1].slots"
    std::string message; ///< what is wrong, with the values
    std::string hint;    ///< what to do
    ErrorKind kind =
        ErrorKind::BadInput; ///< BadInput: the field is wrong. Refused: right, but it cannot work.
    /// The rule with the numbers in it: "heads 16 % tensor 3 = 1, must be 0"; empty: a rule without numbers.
    std::string equation{};

    /// `path: message — hint`, one line for a person.
    std::string text() const;
    /// The same as an error.
    Error error() const;

    bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

/// All diagnostics as one error: the first in full, the number of others, BadInput before Refused.
Error toError(const Diagnostics& diagnostics);

} // namespace trainyard
