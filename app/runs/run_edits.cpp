#include "app/runs/run_edits.h"

#include "app/base/display_text.h"
#include "app/runs/run_database.h"

namespace trainyard {

namespace {

constexpr int kNotesEdit = 1; ///< id of commands that are merged

/// Undo command: sets one property of a run.
template <typename Value>
class RunEdit : public QUndoCommand {
public:
    using Set = std::function<void(const Value&)>;

    RunEdit(const QString& text, Value before, Value after, Set set)
        : QUndoCommand(text), m_before(std::move(before)), m_after(std::move(after)), m_set(std::move(set))
    {
    }
    void undo() override { m_set(m_before); }
    void redo() override { m_set(m_after); }

protected:
    void setAfter(const Value& value) { m_after = value; }
    const Value& after() const { return m_after; }

private:
    Value m_before;
    Value m_after;
    Set m_set;
};

class NotesEdit : public RunEdit<QString> {
public:
    NotesEdit(const QString& runId, const QString& text, const QString& before, const QString& after, Set set)
        : RunEdit(text, before, after, std::move(set)), m_runId(runId)
    {
    }
    int id() const override { return kNotesEdit; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* later = static_cast<const NotesEdit*>(other);
        if (later->m_runId != m_runId)
            return false;
        setAfter(later->after());
        return true;
    }

private:
    QString m_runId;
};

} // namespace

RunEdits::RunEdits(RunDatabase& history, QObject* parent) : QObject(parent), m_history(history) {}

void RunEdits::tell(const Status& written)
{
    if (!written.ok())
        emit failed(written.error());
}

void RunEdits::setTags(const QString& runId, const QStringList& tags)
{
    const auto entry = m_history.find(runId);
    if (!entry || entry->tags == tags)
        return;
    stack().push(new RunEdit<QStringList>(
        tr("tags of %1").arg(oneLine(entry->name)), entry->tags, tags,
        [this, runId](const QStringList& wanted) { tell(m_history.setTags(runId, wanted)); }));
}

void RunEdits::setNotes(const QString& runId, const QString& notes)
{
    const auto entry = m_history.find(runId);
    if (!entry || entry->notes == notes)
        return;
    stack().push(
        new NotesEdit(runId, tr("notes of %1").arg(oneLine(entry->name)), entry->notes, notes,
                      [this, runId](const QString& wanted) { tell(m_history.setNotes(runId, wanted)); }));
}

void RunEdits::setArchived(const QString& runId, bool archived)
{
    const auto entry = m_history.find(runId);
    if (!entry || entry->isArchived == archived)
        return;
    const QString text = archived ? tr("archiving %1") : tr("unarchiving %1");
    stack().push(
        new RunEdit<bool>(text.arg(oneLine(entry->name)), entry->isArchived, archived,
                          [this, runId](bool wanted) { tell(m_history.setArchived(runId, wanted)); }));
}

} // namespace trainyard
