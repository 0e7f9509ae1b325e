#include "engine/training/step_journal.h"

namespace trainyard {

Result<std::unique_ptr<StepJournal>> StepJournal::open(const std::filesystem::path& folder,
                                                       std::uint32_t attempt, Fence fence)
{
    TRAINYARD_TRY(BufferedJournalWriter writer, BufferedJournalWriter::open(folder, "steps", attempt));
    return std::unique_ptr<StepJournal>(new StepJournal(std::move(writer), std::move(fence)));
}

void StepJournal::note(const Status& status)
{
    if (m_status.ok())
        m_status = status;
}

void StepJournal::write(const Payload& payload)
{
    const std::lock_guard lock(m_mutex);
    note(m_fence.glance());
    if (m_status.ok())
        note(m_writer.append(payload));
}

void StepJournal::event(Severity severity, std::string kind, std::string message, std::int64_t step,
                        std::optional<int> rank)
{
    write(EventRecord{severity, std::move(kind), std::move(message), rank, step});
}

Status StepJournal::sync()
{
    const std::lock_guard lock(m_mutex);
    return m_writer.sync();
}

Status StepJournal::status() const
{
    const std::lock_guard lock(m_mutex);
    return m_status;
}

} // namespace trainyard
