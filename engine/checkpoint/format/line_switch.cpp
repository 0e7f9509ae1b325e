#include "engine/checkpoint/format/line_switch.h"

#include <algorithm>
#include <limits>
#include <map>

namespace trainyard {

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

/// Of each line that leads to step `until` of `line`, up to which step it does.
std::map<int, std::int64_t> waysTo(const LineRecord& record, int line, std::int64_t until)
{
    std::map<int, std::int64_t> ways;
    while (line > 0 && ways.try_emplace(line, until).second) {
        const auto known = std::ranges::find(record.lines, line, &CheckpointLine::number);
        if (known == record.lines.end())
            break;
        line = known->parent;
        until = std::min(until, known->from);
    }
    return ways;
}

/// Up to which step both ways are one.
std::int64_t commonPart(const std::map<int, std::int64_t>& one, const std::map<int, std::int64_t>& other)
{
    std::int64_t common = 0;
    for (const auto& [line, until] : one) {
        if (const auto found = other.find(line); found != other.end())
            common = std::max(common, std::min(until, found->second));
    }
    return common;
}

void leave(LineSwitch& made, const CheckpointName& name)
{
    CheckpointName left = name;
    left.line = made.left;
    made.renames.push_back({name, left});
}

bool willBePresent(const LineSwitch& made, const CheckpointListing& listing, const CheckpointName& name)
{
    const bool leaves =
        std::ranges::find(made.renames, name, &LineSwitch::Rename::from) != made.renames.end();
    return listing.has(name) && !leaves;
}

} // namespace

LineSwitch switchTo(const CheckpointListing& listing, const CheckpointName& target)
{
    const int present = listing.record.present().number;
    const int line = target.line > 0 ? target.line : present;
    const auto way = waysTo(listing.record, line, target.step.value);
    const std::int64_t common = commonPart(way, waysTo(listing.record, present, kNoLimit));

    LineSwitch made{{listing.nextLine(), line, target.step.value}, present, {}};
    for (const CheckpointName& name : listing.names) {
        if (name.line == 0 && name.step.value > common)
            leave(made, name);
    }
    for (const CheckpointName& name : listing.names) {
        const auto leads = way.find(name.line);
        CheckpointName back = name;
        back.line = 0;
        if (name.line > 0 && leads != way.end() && name.step.value <= leads->second &&
            !willBePresent(made, listing, back))
            made.renames.push_back({name, back});
    }
    return made;
}

std::optional<LineSwitch> switchAskedFor(const CheckpointListing& listing)
{
    const auto written = CheckpointName::parse(listing.latest);
    const bool isFromStart = written == CheckpointName{};
    if (!written || written->damaged > 0 || listing.latest == listing.record.latest ||
        (!listing.has(*written) && !isFromStart))
        return std::nullopt;
    const bool isNewest = std::ranges::none_of(listing.names, [&](const CheckpointName& name) {
        return name.line == 0 && name.step > written->step;
    });
    if (written->line == 0 && isNewest)
        return std::nullopt;
    return switchTo(listing, *written);
}

std::vector<LineSwitch::Rename> namesAfter(const CheckpointListing& listing,
                                           const std::optional<LineSwitch>& lineSwitch)
{
    std::vector<LineSwitch::Rename> names;
    for (const CheckpointName& name : listing.names)
        names.push_back({name, name});
    for (const LineSwitch::Rename& rename :
         lineSwitch ? lineSwitch->renames : std::vector<LineSwitch::Rename>())
        std::ranges::find(names, rename.from, &LineSwitch::Rename::from)->to = rename.to;
    std::ranges::sort(names, std::greater(), [](const LineSwitch::Rename& name) { return name.to.step; });
    return names;
}

} // namespace trainyard
