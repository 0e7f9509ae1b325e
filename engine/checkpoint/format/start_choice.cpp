#include "engine/checkpoint/format/start_choice.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

std::string stepsOf(const std::vector<DamagedCheckpoint>& damaged)
{
    std::string steps;
    for (const DamagedCheckpoint& one : damaged)
        steps += fmt::format("{}step {}", steps.empty() ? "" : ", ", one.name.step.value);
    return steps;
}

/// A run that has had no checkpoint, or whose user starts over.
bool startsFromTheBeginning(const CheckpointListing& listing, const std::vector<LineSwitch::Rename>& names)
{
    const bool isEmpty =
        std::ranges::none_of(names, [](const LineSwitch::Rename& name) { return name.to.line == 0; });
    return isEmpty && (listing.latest.empty() || listing.latest == CheckpointName{}.text());
}

Error noneIsComplete(const CheckpointListing& listing, const std::vector<DamagedCheckpoint>& damaged)
{
    constexpr const char* kHint = "`trainyard checkpoints RUN` lists them all; `trainyard resume RUN --step "
                                  "N` starts from one of them, --step 0 from scratch";
    if (damaged.empty())
        return refused(fmt::format("{} has no checkpoint to start from, though `latest` names \"{}\"",
                                   listing.folder.string(), listing.latest),
                       kHint);
    return refused(
        fmt::format("no checkpoint in {} is complete: {}", listing.folder.string(), damaged.front().reason),
        kHint);
}

Error unreadable(const CheckpointName& name, const std::string& reason)
{
    return refused(fmt::format("the checkpoint of step {} cannot be read: {}", name.step.value, reason),
                   "make it readable, then try again; nothing was changed. `trainyard resume RUN --step N` "
                   "goes back to an older one");
}

Error incomplete(const CheckpointName& name, const std::string& reason)
{
    return unreachable(fmt::format("the checkpoint of step {} is not complete on the hosts present: {}",
                                   name.step.value, reason),
                       "start with the hosts that have the rest, their disks mounted; nothing was changed. "
                       "`trainyard resume "
                       "RUN --step N` goes back to an older one");
}

/// Of the present line as the switch, if any, leaves it.
Result<StartChoice> newestComplete(const CheckpointListing& listing, const StartView& view)
{
    StartChoice choice;
    choice.lineSwitch = switchAskedFor(listing);
    const auto names = namesAfter(listing, choice.lineSwitch);
    for (const LineSwitch::Rename& name : names) {
        if (!name.to.isPresent())
            continue;
        const CheckpointHealth health = view.examine(name.from);
        if (health.state == CheckpointState::Unreadable)
            return unreadable(name.to, health.reason);
        if (health.state == CheckpointState::Incomplete)
            return incomplete(name.to, health.reason);
        if (health.state == CheckpointState::Complete) {
            choice.checkpoint = name.from;
            return choice;
        }
        choice.damaged.push_back({name.to, name.from, health.reason});
    }
    if (!startsFromTheBeginning(listing, names))
        return noneIsComplete(listing, choice.damaged);
    if (!choice.lineSwitch && !view.wrongElsewhere.empty())
        return noneIsComplete(listing, {{{}, {}, view.wrongElsewhere}});
    return choice;
}

} // namespace

std::string StartChoice::text() const
{
    if (!checkpoint)
        return lineSwitch && absent.empty() ? "step 0, as requested" : "step 0: there is no checkpoint yet";
    std::string text = fmt::format("the checkpoint of step {}", step());
    if (!damaged.empty())
        text += fmt::format(", the newest complete one ({} {} damaged)", stepsOf(damaged),
                            damaged.size() == 1 ? "is" : "are");
    return text;
}

Result<StartChoice> chooseStart(const CheckpointListing& listing, const StartView& view)
{
    TRAINYARD_TRY(StartChoice choice, newestComplete(listing, view));
    if (!choice.lineSwitch && view.unreadable && view.unreadable->step.value > choice.step())
        return unreadable({view.unreadable->step}, view.unreadable->reason);
    if (!choice.lineSwitch && !view.absent.empty()) {
        choice.lineSwitch = switchTo(listing, choice.checkpoint.value_or(CheckpointName()));
        choice.absent = view.absent;
    }
    return choice;
}

Result<StartChoice> chooseStart(const std::filesystem::path& checkpoints)
{
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(checkpoints));
    return chooseStart(listing, {.examine = [&checkpoints](const CheckpointName& name) {
                           return examineIndex(checkpoints / name.text());
                       }});
}

} // namespace trainyard
