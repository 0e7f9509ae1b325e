#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <QString>

#include "app/runs/evaluation_table.h"
#include "app/runs/rank_table.h"
#include "app/runs/step_table.h"
#include "engine/records/journal.h"
#include "engine/records/record.h"

namespace trainyard {

/// The sequence numbers of a stream seen so far. Stored as closed intervals, so a stream read from its start
/// costs one entry of any length.
class SequenceSet {
public:
    /// Inserts a number; returns false when it was present.
    bool insert(std::uint64_t sequence);
    /// Returns the set of all numbers from 1 to `last`.
    static SequenceSet upTo(std::uint64_t last);
    std::uint64_t size() const { return m_size; }

private:
    std::map<std::uint64_t, std::uint64_t> m_intervals; ///< first -> last
    std::uint64_t m_size = 0;
};

/// An event of a run, with the place and time of its record.
struct RunEvent {
    QString stream;
    std::uint64_t sequence = 0;
    std::uint32_t attempt = 1;
    Instant time;
    EventRecord event;
    std::int64_t orderNs = 0; ///< wall clock, never earlier than the event before it in its stream
};

/// The status of the run last reported by its supervisor.
struct RunStatus {
    RunState state = RunState::Pending;
    QString reason;
    std::int64_t step = 0;
    std::int64_t steps = 0;
    std::uint32_t attempt = 1;
    std::int64_t firstNs = 0; ///< wall clock of the supervisor's first record; 0 = none yet
    std::int64_t lastNs = 0;  ///< wall clock of its last record, a heartbeat
};

/// The last sample of a node's device; device -1 is the node's host memory and cores.
struct NodeDevice {
    QString stream; ///< "node-<n>"
    DeviceSample sample;
    Instant time;
    std::uint64_t sequence = 0; ///< of the sample in its stream
    std::int64_t busyNs = 0;    ///< wall clock of the newest sample with utilisation, else of the first one
    std::int64_t freeNs =
        0; ///< the same of the newest one that neither heat nor the power supply slowed down

    int node() const { return stream.section(QLatin1Char('-'), 1).toInt(); } ///< index of the host in the run
};

/// Whether something is wrong that costs speed: heat, the power supply, the board. A GPU at its power limit
/// just works hard.
bool isSlowedDown(const DeviceHealth& health);

/// The content of the stream "steps" of a run, as far as it was read.
struct StepStream {
    StepTable steps;
    EvaluationTable evaluations;
    RankTable ranks;
    std::optional<PipelineTrace> trace; ///< the newest
    std::uint64_t traceSequence = 0;    ///< of the trace in the stream
    std::optional<ExpertLoad> expertLoad{}; ///< the newest
    std::uint64_t expertLoadSequence = 0;   ///< of that load in the stream
    DevicesRecord rankDevices{};        ///< the newest
    JournalEnd journal;                 ///< where reading the stream continues
    std::int64_t newestNs = 0;          ///< wall clock of its newest record
};

/// Everything in a run's journals, arranged for views. Equal for live, reopened and saved runs: records
/// arrive in batches of any size and order; (stream, sequence) makes duplicates harmless. A plain value
/// without signals.
class RunSeries {
public:
    /// Applies records and returns how many of them were new.
    std::size_t apply(const QString& stream, const std::vector<Record>& records);
    /// Takes the steps from the cache and counts every record up to stream.journal.lastSequence as seen.
    /// Requires a series without steps.
    void restore(StepStream stream);
    qsizetype restoredSteps() const { return m_restoredSteps; } ///< how many came by restore()
    /// Notes that the records of the stream "steps" up to there have been applied; an earlier end is ignored.
    void setStepsEnd(const JournalEnd& end);
    /// Returns the steps so far. Requires that their stream was read from its start without gaps.
    StepStream stepStream() const;
    /// Drops the data of this stream, which the host replaced and will send again.
    void forget(const QString& stream);

    const StepTable& steps() const { return m_steps; }
    const EvaluationTable& evaluations() const { return m_evaluations; }
    const std::vector<RankSummary>& ranks() const { return m_ranks.ranks(); }
    const NewestCompute& newestCompute() const { return m_ranks.newestCompute(); }
    /// Returns the events in order of time.
    const std::vector<RunEvent>& events() const { return m_events; }
    const RunStatus& status() const { return m_status; }
    std::vector<NodeDevice> devices() const;
    /// Returns the newest progress of each stage of a job, in order of their start.
    const std::vector<ProgressRecord>& stages() const { return m_stages; }
    /// Returns the newest traced step; nullopt = none yet.
    const std::optional<PipelineTrace>& trace() const { return m_trace; }
    /// Returns the newest load of a mixture's experts; nullopt = none yet.
    const std::optional<ExpertLoad>& expertLoad() const { return m_expertLoad; }
    /// Returns what the ranks of the newest attempt compute on; without its record as if on processors.
    const DevicesRecord& rankDevices() const { return m_rankDevices; }
    /// Returns the wall clock of the newest record of any stream; 0 = none.
    std::int64_t newestNs() const { return m_newestNs; }
    std::uint64_t recordCount() const;

private:
    void take(const QString& stream, const Record& record);
    void takeStep(const Record& record, const StepRecord& step);
    void takeEvaluation(const Record& record, const EvaluationRecord& evaluation);
    void takeEvent(const QString& stream, const Record& record, const EventRecord& event);
    void takeState(const Record& record, const StateRecord& state);
    void takeDevice(const QString& stream, const Record& record, const DeviceSample& sample);
    void takeProgress(const ProgressRecord& progress);
    void takeTrace(const Record& record, const PipelineTrace& trace);
    void takeExpertLoad(const Record& record, const ExpertLoad& load);
    void takeRankDevices(const Record& record, const DevicesRecord& devices);

    std::map<QString, SequenceSet> m_seen;
    std::map<QString, std::int64_t> m_newestEventNs; ///< of each stream
    StepTable m_steps;
    EvaluationTable m_evaluations;
    qsizetype m_restoredSteps = 0;
    JournalEnd m_stepsEnd;
    RankTable m_ranks;
    std::vector<RunEvent> m_events;
    std::map<std::pair<QString, int>, NodeDevice> m_devices;
    std::vector<ProgressRecord> m_stages;
    std::optional<PipelineTrace> m_trace;
    std::uint64_t m_traceSequence = 0;
    std::optional<ExpertLoad> m_expertLoad;
    std::uint64_t m_expertLoadSequence = 0;
    DevicesRecord m_rankDevices;
    std::uint64_t m_rankDevicesSequence = 0;
    RunStatus m_status;
    std::uint64_t m_stateSequence = 0;
    std::int64_t m_newestNs = 0;
};

} // namespace trainyard
