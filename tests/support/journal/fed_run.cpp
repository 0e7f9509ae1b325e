#include "tests/support/journal/fed_run.h"

#include <fstream>

#include "engine/spec/spec_json.h"

namespace trainyard::support {

QJsonObject createRunRequest(const QString& runId)
{
    RunSpec spec;
    spec.dataset.path = "/data/none"; // nothing opens it
    return {{"op", "create-run"},
            {"run", runId},
            {"kind", "train"},
            {"spec", QString::fromStdString(toJson(spec))},
            {"inventory", QJsonObject()},
            {"node", 0}};
}

JournalWriter& FedRun::writer(const std::string& stream)
{
    auto& slot = m_writers[stream];
    if (!slot) {
        auto opened = JournalWriter::open(m_journal, stream, m_attempt);
        slot = std::make_unique<JournalWriter>(std::move(opened).value());
    }
    return *slot;
}

void FedRun::steps(int count)
{
    for (int i = 0; i < count; ++i) {
        StepRecord record;
        record.step = ++m_written;
        record.loss = 10.0 / record.step;
        TRAINYARD_CHECK(writer("steps").append(record).ok());
    }
}

void FedRun::feedEvery(std::chrono::milliseconds interval)
{
    m_timer.callOnTimeout([this] { steps(1); });
    m_timer.start(interval);
}

void FedRun::state(RunState state, const std::string& reason)
{
    StateRecord record;
    record.state = state;
    record.reason = reason;
    record.step = m_written;
    TRAINYARD_CHECK(writer("run").append(record).ok());
}

void FedRun::event(const std::string& kind)
{
    TRAINYARD_CHECK(writer("run").append(EventRecord{Severity::Info, kind, kind, {}, m_written}).ok());
}

void FedRun::resume()
{
    m_writers.clear();
    ++m_attempt;
}

void FedRun::tear(const std::string& stream)
{
    m_writers.erase(stream);
    std::ofstream(m_journal / stream, std::ios::binary | std::ios::app).write("\x40\0\0", 3);
}

RecordLedger::RecordLedger(RunFollower& follower)
{
    connect(
        &follower, &RunFollower::recordsArrived, this,
        [this](const QString& stream, const std::vector<Record>& records) {
            for (const Record& record : records) {
                if (record.sequence != m_last[stream] + 1)
                    m_complaints
                        << QString("%1: %2 follows %3").arg(stream).arg(record.sequence).arg(m_last[stream]);
                m_last[stream] = record.sequence;
            }
        });
    connect(&follower, &RunFollower::streamRestarted, this,
            [this](const QString& stream) { m_last[stream] = 0; });
}

} // namespace trainyard::support
