#include "remote/wire/error_kind.h"

#include <array>
#include <utility>

namespace trainyard {

namespace {
constexpr std::array<std::pair<ErrorKind, std::string_view>, 5> kNames{{
    {ErrorKind::BadInput, "bad-input"},
    {ErrorKind::Refused, "refused"},
    {ErrorKind::Unreachable, "unreachable"},
    {ErrorKind::Failed, "failed"},
    {ErrorKind::Cancelled, "cancelled"},
}};
} // namespace

std::string_view nameOf(ErrorKind kind)
{
    for (const auto& [known, name] : kNames) {
        if (known == kind)
            return name;
    }
    return "failed";
}

std::optional<ErrorKind> errorKindFromName(std::string_view name)
{
    for (const auto& [kind, known] : kNames) {
        if (known == name)
            return kind;
    }
    return std::nullopt;
}

} // namespace trainyard
