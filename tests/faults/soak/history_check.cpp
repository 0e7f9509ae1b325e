#include "tests/faults/soak/history_check.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "tests/faults/soak/folder_check.h"
#include "tests/faults/soak/history_entries.h"

namespace trainyard::soak {

namespace {

using Complaints = std::vector<std::string>;

void checkWholeness(const History& history, Complaints& complaints)
{
    if (all<Began>(history).size() != 1 || all<Ended>(history).size() != 1)
        complaints.push_back("it does not begin once and end once");
    const auto faults = all<Injected>(history);
    if (std::ranges::none_of(faults, [](const auto& fault) { return !fault.second->how.empty(); }))
        complaints.push_back("no fault was injected");
}

void checkSequences(const History& history, Complaints& complaints)
{
    std::map<std::string, const RecordKept*> last;
    for (const auto& [at, record] : all<RecordKept>(history)) {
        const RecordKept* before = std::exchange(last[record->stream], record);
        if (record->sequence != (before ? before->sequence : 0) + 1)
            complaints.push_back(fmt::format("stream {}: record {} follows record {}", record->stream,
                                             record->sequence, before ? before->sequence : 0));
        if (before && record->attempt < before->attempt)
            complaints.push_back(fmt::format("stream {}: record {} of attempt {} is written after attempt {}",
                                             record->stream, record->sequence, record->attempt,
                                             before->attempt));
    }
}

void checkMirrors(const History& history, Complaints& complaints)
{
    const auto streams = all<StreamCompared>(history);
    if (streams.empty())
        complaints.push_back("the desk's journals were not compared");
    for (const auto& [at, stream] : streams) {
        if (stream->head != stream->desk)
            complaints.push_back(
                fmt::format("stream {}: the desk has other bytes than the head", stream->stream));
    }
}

void checkSteps(const History& history, Complaints& complaints)
{
    const RecordKept* before = nullptr;
    std::int64_t newest = 0;
    for (const auto& [at, record] : all<RecordKept>(history)) {
        if (record->step == 0)
            continue;
        const bool isFirst = !before || record->attempt != before->attempt;
        if (isFirst && record->step > newest + 1)
            complaints.push_back(fmt::format("steps {} to {} are missing before attempt {}", newest + 1,
                                             record->step - 1, record->attempt));
        if (!isFirst && record->step != before->step + 1)
            complaints.push_back(fmt::format("attempt {}: step {} follows step {}", record->attempt,
                                             record->step, before->step));
        newest = std::max(newest, record->step);
        before = record;
    }
    if (newest == 0)
        complaints.push_back("no step was done");
}

/// The losses of the undisturbed run by step.
std::map<std::int64_t, double> referenceOf(const History& history)
{
    std::map<std::int64_t, double> reference;
    for (const auto& [at, step] : all<ReferenceStep>(history))
        reference[step->step] = step->loss;
    return reference;
}

double relativeDifference(double loss, double expected)
{
    return loss == expected ? 0 : std::abs(loss - expected) / std::abs(expected);
}

void checkLosses(const History& history, Complaints& complaints)
{
    const auto reference = referenceOf(history);
    for (const auto& [at, record] : all<RecordKept>(history)) {
        if (record->step == 0)
            continue;
        const auto expected = reference.find(record->step);
        if (expected == reference.end())
            complaints.push_back(fmt::format("step {} has nothing to be compared with", record->step));
        else if (!(relativeDifference(record->loss, expected->second) <= kLossTolerance))
            complaints.push_back(fmt::format("attempt {}, step {}: loss {} where the undisturbed run has {}",
                                             record->attempt, record->step, record->loss, expected->second));
    }
}

void checkEpochs(const History& history, Complaints& complaints)
{
    std::uint32_t epoch = 0;
    for (const auto& [at, look] : all<Looked>(history)) {
        if (look->epoch < epoch)
            complaints.push_back(
                fmt::format("at {} ms the epoch falls from {} to {}", at, epoch, look->epoch));
        epoch = std::max(epoch, look->epoch);
    }
    for (const auto& [at, record] : all<RecordKept>(history)) {
        if (record->attempt > epoch)
            complaints.push_back(fmt::format("stream {}: record {} of attempt {} although the epoch is {}",
                                             record->stream, record->sequence, record->attempt, epoch));
    }
}

void checkRanks(const History& history, Complaints& complaints)
{
    std::map<std::uint32_t, Moment> firstSeen;
    for (const auto& [at, look] : all<Looked>(history)) {
        firstSeen.try_emplace(look->epoch, at);
        for (std::size_t host = 0; host < look->ranks.size(); ++host) {
            for (const std::uint32_t attempt : look->ranks[host]) {
                const auto next = firstSeen.upper_bound(attempt);
                if (next != firstSeen.end() && at - next->second > kOldRanksMs)
                    complaints.push_back(
                        fmt::format("at {} ms host {} still has ranks of attempt {}, {} ms after attempt {}",
                                    at, host, attempt, at - next->second, next->first));
            }
        }
    }
}

void checkEnd(const History& history, Complaints& complaints)
{
    for (const auto& [at, end] : all<Ended>(history)) {
        if (end->state != "stopped")
            complaints.push_back("the run was stopped, and its state is " + end->state);
    }
    const auto hosts = all<HostAtEnd>(history);
    const auto began = all<Began>(history);
    if (!began.empty() && hosts.size() < std::size_t(began.front().second->hosts))
        complaints.push_back("not every host was looked at in the end");
    for (const auto& [at, host] : hosts) {
        if (host->processes > 0)
            complaints.push_back(
                fmt::format("{} processes are left on host {}", host->processes, host->host));
        for (const std::string& file : host->files)
            complaints.push_back(fmt::format("{} is left on host {}", file, host->host));
    }
}

} // namespace

std::vector<std::string> complaintsAbout(const History& history)
{
    Complaints complaints;
    for (const auto check : {checkWholeness, checkSequences, checkMirrors, checkSteps, checkLosses,
                             checkEpochs, checkRanks, checkEnd})
        check(history, complaints);
    std::ranges::move(complaintsAboutCheckpoints(history), std::back_inserter(complaints));
    return complaints;
}

double largestLossDifference(const History& history)
{
    const auto reference = referenceOf(history);
    double largest = 0;
    for (const auto& [at, record] : all<RecordKept>(history)) {
        if (const auto expected = reference.find(record->step); expected != reference.end())
            largest = std::max(largest, relativeDifference(record->loss, expected->second));
    }
    return largest;
}

} // namespace trainyard::soak
