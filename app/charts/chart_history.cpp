#include "app/charts/chart_history.h"

#include <chrono>
#include <utility>

#include <QScopedValueRollback>
#include <QUndoStack>

namespace trainyard {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds kPause{1}; ///< a longer one ends a gesture

/// Which changes are merged with those of their kind; ids of commands, different from those of other commands
/// of a place.
enum MergedKind { NotMerged = -1, ZoomChange = 101, SmoothingChange = 102 };

bool differInSmoothingAlone(ChartView a, const ChartView& b)
{
    a.options.smoothing = b.options.smoothing;
    return a == b;
}

MergedKind kindOf(const ChartView& before, const ChartView& after)
{
    if (before.options == after.options)
        return ZoomChange;
    return differInSmoothingAlone(before, after) ? SmoothingChange : NotMerged;
}

QString textOf(MergedKind kind)
{
    switch (kind) {
    case ZoomChange:
        return ChartHistory::tr("zoom of the charts");
    case SmoothingChange:
        return ChartHistory::tr("smoothing of the charts");
    case NotMerged:
        break;
    }
    return ChartHistory::tr("axes of the charts");
}

} // namespace

/// Already done when it is pushed.
class ChartViewChange : public QUndoCommand {
public:
    ChartViewChange(ChartHistory& history, const ChartView& before, const ChartView& after)
        : QUndoCommand(textOf(kindOf(before, after)))
        , m_history(&history)
        , m_before(before)
        , m_after(after)
        , m_kind(kindOf(before, after))
    {
    }
    void undo() override { m_history->restore(m_before); }
    void redo() override
    {
        if (m_done)
            m_history->restore(m_after);
        m_done = true;
    }
    int id() const override { return m_kind; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* later = static_cast<const ChartViewChange*>(other);
        if (later->m_history != m_history || later->m_before != m_after || later->m_at - m_at > kPause)
            return false;
        m_after = later->m_after;
        m_at = later->m_at;
        setObsolete(m_after == m_before);
        return true;
    }

private:
    ChartHistory* m_history;
    ChartView m_before;
    ChartView m_after;
    MergedKind m_kind;
    Steady::time_point m_at = Steady::now();
    bool m_done = false;
};

ChartHistory::ChartHistory(QUndoStack& undo, Show show) : m_undo(undo), m_show(std::move(show)) {}

void ChartHistory::keep(const ChartView& view)
{
    if (m_isRestoring || view == m_known)
        return;
    m_undo.push(new ChartViewChange(*this, std::exchange(m_known, view), view));
}

void ChartHistory::restore(const ChartView& view)
{
    const QScopedValueRollback restoring(m_isRestoring, true);
    m_known = view;
    m_show(view);
}

} // namespace trainyard
