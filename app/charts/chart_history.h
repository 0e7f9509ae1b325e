#pragma once

#include <functional>
#include <optional>

#include <QObject>
#include <QString>

#include "app/charts/chart_options.h"

class QUndoStack;

namespace trainyard {

/// How the charts of a page are shown.
struct ChartView {
    ChartOptions options;
    std::optional<ChartSpan> zoom;
    QString subject; ///< of what the charts are, such as a run; a zoom means nothing for another one

    bool operator==(const ChartView&) const = default;
};

/// Keeps how the charts of a page are shown on a place's undo stack: every change is a step of its own, those
/// of one gesture, such as turning the wheel or dragging the smoothing, are one together. GUI thread.
class ChartHistory : public QObject {
    Q_OBJECT

public:
    using Show = std::function<void(const ChartView&)>;

    /// `show` brings a view back; it is not called for what is kept. The stack must outlive the history.
    ChartHistory(QUndoStack& undo, Show show);

    /// The user has come to this view. Nothing happens when it is the one that is known.
    void keep(const ChartView& view);
    /// The view became another one without the user, who is not led back to the one before.
    void startFrom(const ChartView& view) { m_known = view; }

private:
    friend class ChartViewChange;
    void restore(const ChartView& view);

    QUndoStack& m_undo;
    Show m_show;
    ChartView m_known;
    bool m_isRestoring = false; ///< what the charts tell meanwhile is no change of the user's
};

} // namespace trainyard
