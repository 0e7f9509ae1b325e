#include "app/monitor/model/trace_recorder.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>

#include "app/base/display_text.h"
#include "engine/base/check.h"

namespace trainyard {

namespace {

constexpr double kNsPerUs = 1000; // the format counts in microseconds

QString nameOfGroup(const FlightSnapshot::Groups& groups, std::uint32_t number)
{
    const auto found = groups.find(number);
    if (number == 0 || found == groups.end())
        return number == 0 ? QStringLiteral("all ranks") : QStringLiteral("group %1").arg(number);
    QStringList ranks;
    for (const int rank : found->second)
        ranks.append(QString::number(rank));
    return QStringLiteral("ranks ") + ranks.join(QStringLiteral(", "));
}

QJsonObject named(const char* what, int process, std::optional<int> track, const QString& name)
{
    QJsonObject event{{"ph", "M"}, {"name", what}, {"pid", process}, {"args", QJsonObject{{"name", name}}}};
    if (track)
        event["tid"] = *track;
    return event;
}

constexpr int kPassTrack = 0; ///< of a rank's steps and passes; those of its groups follow

QJsonObject spanOf(const QString& name, const char* category, int rank, std::int64_t enteredNs,
                   std::int64_t leftNs, const QJsonObject& arguments)
{
    return {{"ph", "X"},
            {"name", name},
            {"cat", category},
            {"pid", rank},
            {"tid", kPassTrack},
            {"ts", double(enteredNs) / kNsPerUs},
            {"dur", double(leftNs - enteredNs) / kNsPerUs},
            {"args", arguments}};
}

QJsonObject eventOf(const FlightPass& pass, int rank, std::int64_t offsetNs)
{
    QString name = toQString(nameOf(pass.work));
    QJsonObject arguments{{"step", qint64(pass.step)}, {"work", name}};
    if (pass.microBatch >= 0) {
        name += QStringLiteral(" %1").arg(pass.microBatch);
        arguments["micro_batch"] = pass.microBatch;
        arguments["chunk"] = pass.chunk;
    }
    return spanOf(name, "pass", rank, pass.enteredNs - offsetNs, pass.leftNs - offsetNs, arguments);
}

/// Appends the passes of a rank's steps in order of time, each within the span of its step.
void appendPasses(const std::vector<FlightPass>& passes, int rank, std::int64_t offsetNs, QJsonArray& events)
{
    if (!passes.empty())
        events.append(named("thread_name", rank, kPassTrack, QStringLiteral("passes")));
    for (auto first = passes.begin(); first != passes.end();) {
        const auto end =
            std::find_if(first, passes.end(), [&](const FlightPass& p) { return p.step != first->step; });
        events.append(spanOf(QStringLiteral("step %1").arg(first->step), "step", rank,
                             first->enteredNs - offsetNs, std::prev(end)->leftNs - offsetNs,
                             {{"step", qint64(first->step)}}));
        for (; first != end; ++first)
            events.append(eventOf(*first, rank, offsetNs));
    }
}

QJsonObject eventOf(const FlightEntry& entry, int rank, int track, std::int64_t offsetNs)
{
    const QString kind = toQString(nameOf(entry.kind));
    return {{"ph", "X"},
            {"name", kind + QLatin1Char(' ') + displayBytes(double(entry.bytes))},
            {"cat", entry.kind == CollectiveKind::Message ? "point to point" : "collective"},
            {"pid", rank},
            {"tid", track},
            {"ts", double(entry.enteredNs - offsetNs) / kNsPerUs},
            {"dur", double(entry.leftNs - entry.enteredNs) / kNsPerUs},
            {"args", QJsonObject{{"step", qint64(entry.step)},
                                 {"sequence", qint64(entry.sequence)},
                                 {"bytes", qint64(entry.bytes)}}}};
}

/// The tracks of one rank. Concurrent collectives of a group go to separate tracks, because a track cannot
/// show overlapping ones.
class Tracks {
public:
    Tracks(int rank, const FlightSnapshot::Groups& groups) : m_rank(rank), m_groups(groups) {}

    int trackFor(const FlightEntry& entry, QJsonArray& events)
    {
        const auto free = std::ranges::find_if(m_tracks, [&](const Track& track) {
            return track.group == entry.group && track.untilNs <= entry.enteredNs;
        });
        if (free != m_tracks.end()) {
            free->untilNs = entry.leftNs;
            return kPassTrack + 1 + int(free - m_tracks.begin());
        }
        m_tracks.push_back({entry.group, entry.leftNs});
        const int track = kPassTrack + int(m_tracks.size());
        events.append(named("thread_name", m_rank, track, nameOfGroup(m_groups, entry.group)));
        return track;
    }

private:
    struct Track {
        std::uint32_t group;
        std::int64_t untilNs; ///< by the clock of the rank's node
    };
    int m_rank;
    const FlightSnapshot::Groups& m_groups;
    std::vector<Track> m_tracks;
};

} // namespace

CollectiveTrace::CollectiveTrace(int ranks, int steps) : m_steps(steps), m_ranks(std::size_t(ranks))
{
    TRAINYARD_CHECK(ranks > 0 && steps > 0);
}

void CollectiveTrace::add(const FlightSnapshot& ring)
{
    if (ring.rank < 0 || std::size_t(ring.rank) >= m_ranks.size())
        return;
    RankTrace& rank = m_ranks[std::size_t(ring.rank)];
    rank.step = std::max(rank.step, ring.step);
    rank.groups = ring.groups;
    for (const FlightEntry& entry : ring.entries)
        rank.entries[{entry.group, entry.sequence}] = entry;
    for (const FlightPass& pass : ring.passes)
        rank.passes[pass.number] = pass;
    if (m_firstStep == 0 && std::ranges::all_of(m_ranks, [](const RankTrace& r) { return r.step > 0; }))
        m_firstStep = std::ranges::max(m_ranks, {}, &RankTrace::step).step + 1;
}

int CollectiveTrace::stepsDone() const
{
    if (m_firstStep == 0)
        return 0;
    const std::int64_t slowest = std::ranges::min(m_ranks, {}, &RankTrace::step).step;
    return int(std::clamp<std::int64_t>(slowest - m_firstStep, 0, m_steps));
}

bool CollectiveTrace::isComplete() const
{
    return stepsDone() == m_steps;
}

std::size_t CollectiveTrace::size() const
{
    std::size_t count = 0;
    for (const RankTrace& rank : m_ranks)
        count += std::size_t(std::ranges::count_if(
            rank.entries, [this](const auto& known) { return isWanted(known.second); }));
    return count;
}

std::size_t CollectiveTrace::passCount() const
{
    std::size_t count = 0;
    for (const RankTrace& rank : m_ranks)
        count += std::size_t(
            std::ranges::count_if(rank.passes, [this](const auto& known) { return isWanted(known.second); }));
    return count;
}

/// Counts gaps: groups number their collectives, and ranks their passes, consecutively.
std::uint64_t CollectiveTrace::overwritten() const
{
    std::uint64_t lost = 0;
    for (const RankTrace& rank : m_ranks) {
        const Key* before = nullptr;
        for (const auto& [key, entry] : rank.entries) {
            if (before && before->group == key.group && isWanted(entry))
                lost += key.sequence - before->sequence - 1;
            before = &key;
        }
        std::uint64_t passBefore = 0;
        for (const auto& [number, pass] : rank.passes) {
            if (passBefore > 0 && isWanted(pass))
                lost += number - passBefore - 1;
            passBefore = number;
        }
    }
    return lost;
}

/// Returns how far the clock of the rank's node is ahead of rank 0's: the median over the collectives that
/// both left together.
std::int64_t CollectiveTrace::offsetNs(int rank) const
{
    std::vector<std::int64_t> offsets;
    const RankTrace& first = m_ranks.front();
    for (const auto& [key, entry] : m_ranks[std::size_t(rank)].entries) {
        if (key.group != 0 || entry.kind != CollectiveKind::AllReduce || entry.leftNs == 0)
            continue;
        const auto same = first.entries.find(key);
        if (same != first.entries.end() && same->second.leftNs > 0)
            offsets.push_back(entry.leftNs - same->second.leftNs);
    }
    if (offsets.empty())
        return 0;
    const auto middle = offsets.begin() + std::ptrdiff_t(offsets.size() / 2);
    std::ranges::nth_element(offsets, middle);
    return *middle;
}

QByteArray CollectiveTrace::toChromeTrace(const QStringList& hosts) const
{
    QJsonArray events;
    for (int rank = 0; rank < int(m_ranks.size()); ++rank) {
        const RankTrace& known = m_ranks[std::size_t(rank)];
        const QString host = hosts.value(rank);
        events.append(named("process_name", rank, {},
                            QStringLiteral("rank %1").arg(rank) +
                                (host.isEmpty() ? QString() : QStringLiteral(" on ") + host)));
        std::vector<FlightEntry> wanted;
        for (const auto& [key, entry] : known.entries) {
            if (isWanted(entry))
                wanted.push_back(entry);
        }
        std::ranges::sort(wanted, {}, &FlightEntry::enteredNs);
        std::vector<FlightPass> passes;
        for (const auto& [number, pass] : known.passes) {
            if (isWanted(pass))
                passes.push_back(pass);
        }
        const std::int64_t offset = offsetNs(rank);
        appendPasses(passes, rank, offset, events);
        Tracks tracks(rank, known.groups);
        for (const FlightEntry& entry : wanted) {
            const int track = tracks.trackFor(entry, events);
            events.append(eventOf(entry, rank, track, offset));
        }
    }
    return QJsonDocument(QJsonObject{{"displayTimeUnit", "ms"},
                                     {"otherData", QJsonObject{{"first_step", qint64(m_firstStep)},
                                                               {"last_step", qint64(lastStep())},
                                                               {"overwritten", qint64(overwritten())}}},
                                     {"traceEvents", events}})
        .toJson(QJsonDocument::Compact);
}

namespace {

// A ring holds 256 collectives, which is a second or more of most runs.
constexpr std::chrono::milliseconds kLookInterval{50};
constexpr std::chrono::minutes kPatience{10}; ///< without a new step

} // namespace

TraceRecorder::TraceRecorder(ReadRing read, int ranks, int steps, QObject* parent)
    : QObject(parent), m_read(std::move(read)), m_ranks(ranks), m_steps(steps), m_trace(ranks, steps)
{
    m_sinceStep.start();
}

void TraceRecorder::look()
{
    m_waiting = m_ranks;
    for (int rank = 0; rank < m_ranks && !m_ended; ++rank)
        m_read(rank, this, [this](const Result<FlightSnapshot>& ring) { take(ring); });
}

void TraceRecorder::take(const Result<FlightSnapshot>& ring)
{
    if (m_ended)
        return;
    if (!ring.ok())
        return end(ring.error());
    m_trace.add(*ring);
    m_isOver |= ring->activity == Activity::Done || ring->activity == Activity::Failed;
    if (ring->step > m_newestStep) {
        m_newestStep = ring->step;
        m_sinceStep.restart();
    }
    if (--m_waiting == 0)
        judge();
}

void TraceRecorder::judge()
{
    emit progress(m_trace.stepsDone());
    if (m_trace.isComplete())
        return end(
            m_trace.size() + m_trace.passCount() > 0
                ? Status()
                : badInput("its ranks record no passes and exchange no data, so there is nothing to trace",
                           "runs of this version record passes"));
    if (m_isOver)
        return end(refused("the run ended before " + std::to_string(m_steps) + " more steps were done",
                           "record while it is running, or record fewer steps"));
    if (m_sinceStep.hasExpired(std::chrono::milliseconds(kPatience).count()))
        return end(failed("no step was finished for 10 minutes", "check the logs of the ranks"));
    QTimer::singleShot(kLookInterval, this, &TraceRecorder::look);
}

void TraceRecorder::end(const Status& status)
{
    m_ended = true;
    emit finished(status);
}

} // namespace trainyard
