#pragma once

#include <QWidget>

#include "app/monitor/model/scaling_study.h"

namespace trainyard {

/// Plots efficiency over the number of ranks on a logarithmic axis: strong scaling solid, weak scaling
/// dashed, the ideal 100 %, and published results for the same model as diamonds. The mouse or the arrow keys
/// read out a point.
class EfficiencyChart : public QWidget {
    Q_OBJECT

public:
    explicit EfficiencyChart(QWidget* parent = nullptr);

    void setStudy(const ScalingStudy& study);
    /// Indices into seriesStyle(), for a legend.
    static constexpr int kStrongStyle = 0;
    static constexpr int kWeakStyle = 1;
    static constexpr int kPublishedStyle = 7;

    QSize sizeHint() const override { return {560, 240}; }
    QSize minimumSizeHint() const override { return {320, 160}; }

signals:
    /// Describes the point under the cursor; empty = none.
    void readOutChanged(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Mark {
        int ranks = 1;
        double efficiency = 1;
        QString words;
        int style = 0;
    };
    QRectF area() const;
    QPointF placeOf(int ranks, double efficiency) const;
    void addMarks(const QList<StudyPoint>& points, int style, const QString& title);
    void paintAxes(QPainter& painter) const;
    void paintCurve(QPainter& painter, const QList<StudyPoint>& points, int style) const;
    void paintPublished(QPainter& painter) const;
    void setCurrent(int mark);

    ScalingStudy m_study;
    QList<Mark> m_marks; ///< ascending ranks
    int m_fewest = 1;
    int m_most = 2;
    double m_highest = 1.1; ///< efficiency at the upper edge
    int m_current = -1;     ///< index into m_marks; -1 = none
};

} // namespace trainyard
