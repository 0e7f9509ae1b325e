#pragma once

#include <memory>
#include <optional>

#include <QPixmap>
#include <QStringList>
#include <QWidget>

#include "engine/planner/time/step_timeline.h"

namespace trainyard {

/// One optimizer step of a pipeline: a row per rank, a bar per pass, reduction and update, the number of the
/// micro-batch in bars that are wide enough; what is left empty is the bubble. The wheel zooms around the
/// pointer, dragging moves, a double click or Home shows the whole step; arrows walk along a row and between
/// rows, + and - zoom. Only what is in view is painted, and painted again only when that changes.
class PipelineGantt : public QWidget {
    Q_OBJECT
public:
    explicit PipelineGantt(QWidget* parent = nullptr);

    /// Null = there is nothing to show. The axis reaches to `leastSeconds` at least, so that two of them can
    /// be set one over the other.
    void setTimeline(std::shared_ptr<const StepTimeline> timeline, double leastSeconds = 0);
    /// The rows are ranks of a run, called so; empty = those of a pipeline.
    void setRowNames(const QStringList& names);
    void setEmptyText(const QString& text);

    /// What is shown of the step, in seconds.
    double shownFrom() const { return m_from; }
    double shownTo() const { return m_to; }
    /// As far as the step reaches.
    void show(double from, double to);

    /// More would stay empty.
    int greatestHeight() const;
    QSize sizeHint() const override { return {560, 128}; }
    QSize minimumSizeHint() const override { return {240, 56}; }

signals:
    /// Zoomed or moved.
    void shownChanged(double from, double to);
    /// What is pointed at or walked to, in words; empty = nothing.
    void readOutChanged(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Spot {
        int rank = 0;
        std::size_t action = 0;

        bool operator==(const Spot&) const = default;
    };
    const std::vector<TimedAction>& actionsOf(int rank) const;
    const TimedAction& at(const Spot& spot) const;
    int ranks() const;
    QString rowText(int rank) const;
    QString wordsOf(const Spot& spot) const;
    QRectF area() const;
    double pixelOf(double seconds) const;
    double secondsAt(double pixel) const;
    QRectF rowOf(int rank) const;
    QRectF barOf(const Spot& spot) const;
    std::optional<Spot> spotAt(const QPointF& position) const;
    void setCurrent(std::optional<Spot> spot);
    void walk(int actions, int rows);
    void zoom(double around, double factor);

    QPixmap picture() const;
    void paintAxis(QPainter& painter) const;
    void paintRow(QPainter& painter, int rank) const;
    void paintAction(QPainter& painter, const TimedAction& timed, const QRectF& bar) const;

    std::shared_ptr<const StepTimeline> m_timeline;
    QStringList m_rowNames;
    QString m_emptyText;
    double m_duration = 0; ///< seconds that the whole axis stands for
    double m_from = 0;
    double m_to = 0;
    std::optional<Spot> m_current;
    std::optional<QPointF> m_dragged; ///< where the pointer was last
    QPixmap m_picture;                ///< without what is pointed at; null = out of date
};

} // namespace trainyard
