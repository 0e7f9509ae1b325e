#include "engine/spec/diagnostic.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

std::string Diagnostic::text() const
{
    return error().text();
}

Error Diagnostic::error() const
{
    return {kind, path.empty() ? message : path + ": " + message, hint};
}

Error toError(const Diagnostics& diagnostics)
{
    TRAINYARD_CHECK(!diagnostics.empty());
    const auto first =
        std::min_element(diagnostics.begin(), diagnostics.end(), [](const auto& a, const auto& b) {
            return static_cast<int>(a.kind) < static_cast<int>(b.kind);
        });
    Error error = first->error();
    if (diagnostics.size() > 1)
        error.hint +=
            fmt::format(" ({} more problem{})", diagnostics.size() - 1, diagnostics.size() > 2 ? "s" : "");
    return error;
}

} // namespace trainyard
