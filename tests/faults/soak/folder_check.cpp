#include "tests/faults/soak/folder_check.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/faults/soak/history_entries.h"
#include "tests/faults/soak/start_rule.h"

namespace trainyard::soak {

namespace {

using Complaints = std::vector<std::string>;

bool says(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

bool hasRanks(const Looked& look, std::uint32_t attempt)
{
    return !look.ranks.empty() && std::ranges::find(look.ranks[0], attempt) != look.ranks[0].end();
}

bool isRunning(const Looked& look, std::uint32_t attempt)
{
    return look.attempt == attempt && look.state == "running";
}

/// The folders on which an attempt may have based its start. The first one is as nobody but the nemesis could
/// change it any more, as far as that was seen: the attempts before had no rank on the head, or the attempt
/// had not begun yet. Later ones count until the attempt has made a step. What the attempt itself publishes
/// is newer than what it starts from, and what it renames keeps its bytes; so neither makes a wrong start
/// right.
class Beginning {
public:
    Beginning(std::uint32_t attempt, const History& history) : m_attempt(attempt), m_history(history)
    {
        findEnd();
        findBegin();
        for (std::size_t i = m_begin; i < m_end; ++i) {
            if (const auto* folder = std::get_if<FolderSeen>(&m_history[i].what))
                m_folders.push_back(folder);
        }
    }

    std::vector<RightStart> rightStarts() const
    {
        std::vector<RightStart> starts;
        for (const FolderSeen* folder : m_folders)
            starts.push_back(rightStart(*folder));
        if (starts.empty())
            starts.push_back({0, {}});
        return starts;
    }

private:
    const Looked* lookAt(std::size_t index) const { return std::get_if<Looked>(&m_history[index].what); }

    void findEnd()
    {
        m_end = m_ownRanks = m_history.size();
        bool hasRanksYet = false;
        for (std::size_t i = 0; i < m_history.size(); ++i) {
            const Looked* look = lookAt(i);
            if (!look)
                continue;
            if (!hasRanksYet && (hasRanks(*look, m_attempt) || isRunning(*look, m_attempt))) {
                hasRanksYet = true;
                m_ownRanks = i;
            }
            if (isRunning(*look, m_attempt) || look->epoch > m_attempt) {
                m_end = i;
                break;
            }
        }
        if (!hasRanksYet)
            m_ownRanks = 0;
    }

    /// The folder that was seen last before the begin belongs to it.
    void findBegin()
    {
        for (std::size_t i = 0; i < m_end; ++i) {
            const Looked* look = lookAt(i);
            const bool isSettled = look && i < m_ownRanks && !look->ranks.empty() && look->ranks[0].empty();
            if (look && (look->epoch < m_attempt || isSettled))
                m_begin = i;
        }
        while (m_begin > 0 && !std::holds_alternative<FolderSeen>(m_history[m_begin].what))
            --m_begin;
    }

    std::uint32_t m_attempt;
    const History& m_history;
    std::size_t m_begin = 0, m_end = 0;
    std::size_t m_ownRanks = 0; ///< when its first rank was seen on the head; 0 = never
    std::vector<const FolderSeen*> m_folders;
};

std::string wordsFor(const std::vector<RightStart>& starts)
{
    std::set<std::string> words;
    for (const RightStart& start : starts)
        words.insert(start.step ? fmt::format("the checkpoint of step {} was right", *start.step)
                                : "no start was right: " + start.reason);
    return fmt::format("{}", fmt::join(words, ", "));
}

/// The first step of each attempt that made one.
std::map<std::uint32_t, std::int64_t> firstSteps(const History& history)
{
    std::map<std::uint32_t, std::int64_t> first;
    for (const auto& [at, record] : all<RecordKept>(history)) {
        if (record->step > 0)
            first.try_emplace(record->attempt, record->step);
    }
    return first;
}

void checkStarts(const History& history, Complaints& complaints)
{
    for (const auto& [attempt, step] : firstSteps(history)) {
        const auto starts = Beginning(attempt, history).rightStarts();
        if (std::ranges::none_of(starts, [&](const RightStart& start) { return start.step == step - 1; }))
            complaints.push_back(
                fmt::format("attempt {} begins at step {}, but {}", attempt, step, wordsFor(starts)));
    }
}

/// Attempts that say that they did not start for the sake of what cannot be read.
void checkRefusals(const History& history, Complaints& complaints)
{
    for (const auto& [at, record] : all<RecordKept>(history)) {
        if (!says(record->text, "did not start: ") || !says(record->text, "cannot be read"))
            continue;
        const auto starts = Beginning(record->attempt, history).rightStarts();
        if (std::ranges::all_of(starts, [](const RightStart& start) { return start.step.has_value(); }))
            complaints.push_back(fmt::format("attempt {} says \"{}\", but {}", record->attempt, record->text,
                                             wordsFor(starts)));
    }
}

/// Nobody was at work then: what was seen of the folder last is how it is.
void checkResumes(const History& history, Complaints& complaints)
{
    RightStart right{0, {}};
    for (const Entry& entry : history) {
        if (const auto* folder = std::get_if<FolderSeen>(&entry.what))
            right = rightStart(*folder);
        const auto* resumed = std::get_if<Resumed>(&entry.what);
        if (!resumed)
            continue;
        if (resumed->trouble.empty() && !right.step)
            complaints.push_back(fmt::format("at {} ms attempt {} is started, but no start was right: {}",
                                             entry.atMs, resumed->attempt, right.reason));
        if (says(resumed->trouble, "checkpoint") && right.step)
            complaints.push_back(fmt::format("at {} ms attempt {} is refused, but {}: {}", entry.atMs,
                                             resumed->attempt, wordsFor({right}), resumed->trouble));
    }
}

/// The number of complete checkpoints by step, whatever they are called.
std::map<std::int64_t, int> wholeOnes(const FolderSeen& folder)
{
    std::map<std::int64_t, int> whole;
    for (const CheckpointFound& found : folder.checkpoints)
        whole[partsOf(found.name)->step] += found.state == "whole" ? 1 : 0;
    return whole;
}

/// Of the present line, and newer than a step. Those whose damage only hashes show are counted by a run that
/// publishes: it does not read them again.
int keptAbove(std::int64_t step, const FolderSeen& folder)
{
    return int(std::ranges::count_if(folder.checkpoints, [step](const CheckpointFound& found) {
        const NameParts parts = *partsOf(found.name);
        return parts.isPresent() && parts.step > step &&
               (found.state == "whole" || found.state == "wrong bytes");
    }));
}

bool wasCompleteInLine(std::int64_t step, const FolderSeen& folder)
{
    return std::ranges::any_of(folder.checkpoints, [step](const CheckpointFound& found) {
        const NameParts parts = *partsOf(found.name);
        return parts.isPresent() && parts.step == step && found.state == "whole";
    });
}

/// Two states of the folder, the later one made by the run out of the other.
struct Change {
    Moment atMs;
    const FolderSeen& before;
    const FolderSeen& after;
    const FolderSeen& ownBefore; ///< before the nemesis did what made it `before`: a run may still act on it
    int keepLast;

    bool isNew(const CheckpointFound& found) const
    {
        return std::ranges::find(before.checkpoints, found.name, &CheckpointFound::name) ==
               before.checkpoints.end();
    }
};

bool wasGivenUp(std::int64_t step, const Change& change)
{
    return wasCompleteInLine(step, change.before) &&
           std::max(keptAbove(step, change.after), keptAbove(step, change.ownBefore)) >= change.keepLast;
}

void checkLost(const Change& change, Complaints& complaints)
{
    auto whole = wholeOnes(change.after);
    for (const auto& [step, count] : wholeOnes(change.before)) {
        if (whole[step] < count - (wasGivenUp(step, change) ? 1 : 0))
            complaints.push_back(
                fmt::format("at {} ms the complete checkpoint of step {} is lost", change.atMs, step));
    }
}

/// Also one that is given up goes in one moment.
void checkHalves(const Change& change, Complaints& complaints)
{
    for (const CheckpointFound& found : change.after.checkpoints) {
        const auto before = std::ranges::find(change.before.checkpoints, found.name, &CheckpointFound::name);
        if (before != change.before.checkpoints.end() && before->state == "whole" && found.state != "whole")
            complaints.push_back(
                fmt::format("at {} ms {} is not whole any more: {}", change.atMs, found.name, found.reason));
    }
}

void checkNewNames(const Change& change, Complaints& complaints)
{
    const bool wentBack = askedFor(change.before).has_value();
    for (const CheckpointFound& found : change.after.checkpoints) {
        const NameParts parts = *partsOf(found.name);
        if (!change.isNew(found))
            continue;
        if (parts.damaged > 0 && (found.state == "whole" || found.state == "unreadable"))
            complaints.push_back(
                fmt::format("at {} ms {} was set aside, but it is {}", change.atMs, found.name, found.state));
        if (parts.damaged == 0 && parts.line > 0 && !wentBack)
            complaints.push_back(
                fmt::format("at {} ms {} is left, but nobody went back", change.atMs, found.name));
    }
}

const CheckpointFound* namedByLatest(const FolderSeen& folder)
{
    const auto named = std::ranges::find(folder.checkpoints, folder.latest, &CheckpointFound::name);
    return named == folder.checkpoints.end() ? nullptr : &*named;
}

void checkLatest(const Change& change, Complaints& complaints)
{
    const CheckpointFound* named = namedByLatest(change.after);
    const bool isWritten = change.after.latest != change.before.latest && !change.after.latest.empty();
    if (isWritten && (!named || named->state != "whole"))
        complaints.push_back(fmt::format("at {} ms the run wrote \"{}\" into `latest`, which is {}",
                                         change.atMs, change.after.latest,
                                         named ? named->state : std::string("not there")));
}

/// What the run makes of the folder. While it cannot be read as a whole, only what comes after that tells.
void checkChanges(const History& history, Complaints& complaints)
{
    const auto began = all<Began>(history);
    const int keepLast = began.empty() ? 0 : began.front().second->keepLast;
    const FolderSeen *before = nullptr, *ownBefore = nullptr;
    bool wasHidden = false;
    for (const auto& [at, folder] : all<FolderSeen>(history)) {
        if (!folder->trouble.empty()) {
            wasHidden = true;
            continue;
        }
        if (before && (wasHidden || !folder->byNemesis)) {
            const Change change{at, *before, *folder, ownBefore ? *ownBefore : *before, keepLast};
            checkLost(change, complaints);
            checkHalves(change, complaints);
            checkNewNames(change, complaints);
            checkLatest(change, complaints);
        }
        before = folder;
        ownBefore = folder->byNemesis ? ownBefore : folder;
        wasHidden = false;
    }
}

void checkLast(const History& history, Complaints& complaints)
{
    const auto folders = all<FolderSeen>(history);
    if (folders.empty()) {
        complaints.push_back("the checkpoints were not looked at");
        return;
    }
    const FolderSeen& last = *folders.back().second;
    const CheckpointFound* named = namedByLatest(last);
    if (!named || named->state != "whole" || keptAbove(partsOf(named->name)->step, last) > 0)
        complaints.push_back(
            fmt::format("in the end `latest` names \"{}\", not the newest complete checkpoint", last.latest));
    for (const std::string& name : last.leftovers)
        complaints.push_back(name + " is left among the checkpoints");
}

} // namespace

std::vector<std::string> complaintsAboutCheckpoints(const History& history)
{
    Complaints complaints;
    for (const auto check : {checkStarts, checkRefusals, checkResumes, checkChanges, checkLast})
        check(history, complaints);
    return complaints;
}

} // namespace trainyard::soak
