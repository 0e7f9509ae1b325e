#include "tests/faults/soak/start_rule.h"

#include <algorithm>
#include <limits>
#include <regex>

namespace trainyard::soak {

namespace {

/// A checkpoint of the present line, and whether it can be loaded.
struct Candidate {
    std::int64_t step;
    const CheckpointFound* found;
};

std::vector<Candidate> candidatesUpTo(std::int64_t limit, const FolderSeen& folder)
{
    std::vector<Candidate> candidates;
    for (const CheckpointFound& found : folder.checkpoints) {
        if (const auto parts = partsOf(found.name); parts && parts->isPresent() && parts->step <= limit)
            candidates.push_back({parts->step, &found});
    }
    std::ranges::sort(candidates, std::greater(), &Candidate::step);
    return candidates;
}

RightStart newestComplete(std::int64_t limit, const FolderSeen& folder)
{
    for (const Candidate& candidate : candidatesUpTo(limit, folder)) {
        if (candidate.found->state == "unreadable")
            return {{}, candidate.found->name + ": " + candidate.found->reason};
        if (candidate.found->state == "whole")
            return {candidate.step, {}};
    }
    if (folder.checkpoints.empty())
        return {0, {}};
    return {{}, "no checkpoint is complete"};
}

RightStart ofAnotherLine(const FolderSeen& folder)
{
    const auto named = std::ranges::find(folder.checkpoints, folder.latest, &CheckpointFound::name);
    if (named->state != "whole")
        return {{}, named->name + " is not whole"};
    return {partsOf(named->name)->step, {}};
}

} // namespace

std::optional<NameParts> partsOf(const std::string& name)
{
    static const std::regex pattern("step-([0-9]{9,})(\\.line-([0-9]+))?(\\.damaged(-([0-9]+))?)?");
    std::smatch match;
    if (!std::regex_match(name, match, pattern))
        return std::nullopt;
    NameParts parts{std::stoll(match[1]), 0, 0};
    if (match[3].matched)
        parts.line = std::stoi(match[3]);
    if (match[4].matched)
        parts.damaged = match[6].matched ? std::stoi(match[6]) : 1;
    return parts;
}

std::optional<NameParts> askedFor(const FolderSeen& folder)
{
    const auto named = partsOf(folder.latest);
    const bool isThere = std::ranges::find(folder.checkpoints, folder.latest, &CheckpointFound::name) !=
                         folder.checkpoints.end();
    if (!named || !isThere || named->damaged > 0 || folder.latest == folder.recorded)
        return std::nullopt;
    const auto present = candidatesUpTo(std::numeric_limits<std::int64_t>::max(), folder);
    if (named->line == 0 && named->step >= present.front().step)
        return std::nullopt;
    return named;
}

RightStart rightStart(const FolderSeen& folder)
{
    if (!folder.trouble.empty())
        return {{}, folder.trouble};
    const auto asked = askedFor(folder);
    if (asked && asked->line > 0)
        return ofAnotherLine(folder);
    return newestComplete(asked ? asked->step : std::numeric_limits<std::int64_t>::max(), folder);
}

} // namespace trainyard::soak
