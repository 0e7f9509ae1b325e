#include "engine/comm/agreement.h"

#include <fmt/format.h>

#include "engine/comm/process_group.h"
#include "engine/records/wire.h"

namespace trainyard {

namespace {

std::string encode(const Status& status)
{
    std::string bytes;
    if (status.ok())
        return bytes;
    WireWriter out(bytes);
    out.number(status.error().kind);
    out.text(status.error().message);
    out.text(status.error().hint);
    return bytes;
}

Status decode(const std::string& bytes)
{
    if (bytes.empty())
        return {};
    WireReader in(bytes);
    const auto kind = in.number<ErrorKind>();
    std::string message = in.text();
    return Error{kind, std::move(message), in.text()};
}

/// What all ranks are told, from what each rank said.
Status verdict(const std::vector<std::string>& said)
{
    std::optional<Error> first;
    int others = 0;
    for (std::size_t rank = 0; rank < said.size(); ++rank) {
        const Status status = decode(said[rank]);
        if (status.ok())
            continue;
        if (first)
            ++others;
        else
            first = said.size() == 1 ? status.error() : status.error().in(fmt::format("rank {}", rank));
    }
    if (!first)
        return {};
    if (others > 0)
        first->message += fmt::format(" (and {} more {} failed)", others, others == 1 ? "rank" : "ranks");
    return *first;
}

} // namespace

Status agree(ProcessGroup& group, const Status& mine)
{
    const auto said = group.gather(encode(mine));
    return decode(group.broadcastText(group.isFirst() ? encode(verdict(said)) : std::string()));
}

} // namespace trainyard
