#pragma once

#include <vector>

#include <QAbstractScrollArea>

#include "app/runs/rank_table.h"
#include "engine/planner/time/common_causes.h"

namespace trainyard {

/// Shows the typical step time of every rank by cause: one row per rank, with the slowest and the fastest
/// marked. Only visible rows are painted. The arrow keys select a rank, Enter or a double click activates it.
class RankTimes : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit RankTimes(QWidget* parent = nullptr);

    /// `hosts` by rank; may be shorter.
    void show(const std::vector<RankSummary>& ranks, const QStringList& hosts);
    /// Slowest first instead of by rank.
    void setSlowestFirst(bool slowestFirst);
    int slowest() const { return m_slowest; } ///< -1 = no ranks
    int fastest() const { return m_fastest; }
    int current() const { return m_current; } ///< rank; -1 = none

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {320, 3 * kRowHeight}; }

signals:
    void activated(int rank);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    static constexpr int kRowHeight = 24;

    void sort();
    void updateScrollBar();
    int rowAt(const QPoint& position) const; ///< -1 = none
    void setCurrentRow(int row);
    double computeOf(int rank) const;
    QString words(int rank) const;
    void paintRow(QPainter& painter, int row, const QRect& box) const;
    void paintBar(QPainter& painter, int rank, const QRectF& bar) const;

    std::vector<TimeByCommonCause> m_times; ///< seconds, by rank
    QStringList m_hosts;
    std::vector<int> m_order; ///< ranks in the order of the rows
    bool m_slowestFirst = false;
    double m_longest = 1; ///< seconds of a full bar
    int m_slowest = -1;
    int m_fastest = -1;
    int m_current = -1;
};

} // namespace trainyard
