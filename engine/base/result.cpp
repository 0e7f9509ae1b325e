#include "engine/base/result.h"

#include <array>
#include <cstring>
#include <system_error>

namespace trainyard {

namespace {
constexpr std::array<std::pair<ErrorKind, int>, 5> kExitStatus{{
    {ErrorKind::BadInput, 2},
    {ErrorKind::Refused, 3},
    {ErrorKind::Unreachable, 4},
    {ErrorKind::Failed, 5},
    {ErrorKind::Cancelled, 130},
}};
} // namespace

int exitStatus(ErrorKind kind)
{
    for (const auto& [known, status] : kExitStatus) {
        if (known == kind)
            return status;
    }
    return 5;
}

std::optional<ErrorKind> errorKindFromExitStatus(int status)
{
    for (const auto& [kind, known] : kExitStatus) {
        if (known == status)
            return kind;
    }
    return std::nullopt;
}

std::string Error::text() const
{
    return hint.empty() ? message : message + " — " + hint;
}

Error systemError(ErrorKind kind, const std::string& what, int errorNumber)
{
    return {kind, what + ": " + std::generic_category().message(errorNumber), {}};
}

} // namespace trainyard
