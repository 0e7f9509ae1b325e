#include "remote/agent/supervise/run_log.h"

#include <fmt/format.h>

#include "remote/agent/host/detach.h"

namespace trainyard::agent {

Result<RunLog> RunLog::open(const RunFolder& folder, std::uint32_t attempt, std::int64_t steps)
{
    const auto earlier = readStatus(folder);
    TRAINYARD_TRY(BufferedJournalWriter journal,
                  BufferedJournalWriter::open(folder.journal(), "run", attempt));
    RunLog log(folder, std::move(journal));
    log.m_status.attempt = attempt;
    log.m_status.steps = steps;
    log.m_status.step = earlier ? earlier->step : 0;
    log.holdReserve();
    return log;
}

void RunLog::beginAttempt(std::uint32_t attempt)
{
    m_journal.beginAttempt(attempt);
    m_status.attempt = attempt;
    m_status.killed = 0;
}

void RunLog::holdReserve()
{
    logFailure(agent::holdReserve(m_folder));
}

void RunLog::enter(RunState state, const std::string& reason)
{
    m_status.state = state;
    m_status.reason = reason;
    if (isFinal(state))
        freeReserve(m_folder);
    append(StateRecord{state, reason, m_status.step, m_status.steps, false});
    logFailure(m_journal.sync());
    write(Durability::Durable);
}

void RunLog::event(const EventRecord& record)
{
    append(record);
    logLine(fmt::format("{}: {}", record.kind, record.message));
}

void RunLog::heartbeat()
{
    logFailure(
        m_journal.append(StateRecord{m_status.state, m_status.reason, m_status.step, m_status.steps, true},
                         BufferedJournalWriter::Worth::Sample));
    write(Durability::Volatile);
}

void RunLog::write(Durability durability)
{
    const auto present = readStatus(m_folder);
    if (!present || present->attempt <= m_status.attempt)
        logFailure(writeStatus(m_folder, m_status, durability));
}

void RunLog::append(const Payload& payload)
{
    logFailure(m_journal.append(payload));
}

} // namespace trainyard::agent
