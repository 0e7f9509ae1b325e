#pragma once

#include <optional>
#include <vector>

#include <QWidget>

#include "engine/planner/time/common_causes.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

/// The planned time of an optimizer step as a stacked bar by cause, on one scale with that of the
/// design saved for comparison, and the causes with values below. Hovering or the arrow keys show the parts
/// of a cause.
class StepTimeBar : public QWidget {
    Q_OBJECT
public:
    explicit StepTimeBar(QWidget* parent = nullptr);

    /// nullopt = unknown time; `kept` is nullopt without a comparison.
    void setSteps(const std::optional<StepTime>& step, const std::optional<StepTime>& kept);
    std::optional<CommonCause> current() const { return m_current; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {320, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    void paintBar(QPainter& painter, const StepTime& step, const QRectF& bar, bool kept) const;
    void paintLegend(QPainter& painter) const;
    double secondsPerPixel() const;
    QRect barOf(bool kept) const;
    std::vector<CommonCause> shownCauses() const;
    int legendTop() const;
    QRect legendCell(std::size_t entry) const;
    std::optional<CommonCause> causeAt(const QPoint& position) const;
    void setCurrent(std::optional<CommonCause> cause);
    void describe();

    std::optional<StepTime> m_step;
    std::optional<StepTime> m_kept;
    std::optional<CommonCause> m_current;
};

} // namespace trainyard
