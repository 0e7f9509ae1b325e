#include "engine/spec/diagnostic.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

Error toError(const Diagnostics& diagnostics)
{
    TRAINYARD_CHECK(!diagnostics.empty());
    const auto first =
        std::min_element(diagnostics.begin(), diagnostics.end(), [](const auto& a, const auto& b) {
            return static_cast<int>(a.kind) < static_cast<int>(b.kind);
        });
    Error error{first->kind, first->path.empty() ? first->message : first->path + ": " + first->message,
                first->hint};
    if (diagnostics.size() > 1)
        error.hint +=
            fmt::format(" ({} more problem{})", diagnostics.size() - 1, diagnostics.size() > 2 ? "s" : "");
    return error;
}

} // namespace trainyard
