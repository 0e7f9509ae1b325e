#pragma once

#include <QList>
#include <QPen>

#include "app/models/axis_range.h"
#include "app/widgets/chart_panel.h"

namespace trainyard {

/// One curve of a chart. x is ascending; y may hold NaN and infinities, which are marked on the axis.
struct Curve {
    QString name;
    QList<double> x;
    QList<double> y;
    int style = 0;       ///< number of its look, see seriesStyle()
    bool marked = false; ///< each point is a measurement of its own and gets a dot
    /// Some of x, ascending: steps whose update was skipped. They are marked on the axis, and what is not
    /// finite there is what they were skipped for.
    QList<double> skipped = {};
};

/// Curves over steps, tokens or time. With smoothing the smoothed curve is drawn boldly and the raw one
/// faintly.
class CurveChart : public ChartPanel {
    Q_OBJECT

public:
    CurveChart(const QString& subject, Quantity quantity, QWidget* parent = nullptr);

    /// In the units of options().axis.
    void setCurves(const QList<Curve>& curves);
    const QList<Curve>& curves() const { return m_curves; }
    /// Learning rates are never smoothed, losses are.
    void setSmoothable(bool smoothable) { m_smoothable = smoothable; }
    /// Without it the vertical axis fits the data; with it, it begins at zero.
    void setFromZero(bool fromZero) { m_fromZero = fromZero; }

    /// The value of one curve nearest to x, as text: for a legend.
    QString valueText(qsizetype curve, double x) const;

    /// What was drawn last: for tests and read-outs.
    const AxisRange& verticalRange() const { return m_range; }
    qsizetype notFiniteCount() const { return m_notFinite; }
    qsizetype skippedCount() const { return m_skipped; }

protected:
    void rebuild() override;
    bool isEmpty() const override;
    QCPRange fullSpan() const override;
    double snapped(double x) const override;
    QString readOut(double x, bool isCursor) const override;
    QString briefReadOut(double x, bool isCursor) const override;
    double neighbour(double x, int direction) const override;

private:
    bool isSmoothed() const;
    void extendToZero();
    bool endsLow() const;
    void addLine(const QList<double>& x, const QList<double>& y, const QPen& pen, bool dots);
    void addNotFiniteMarks(const QColor& colour);
    void addSkippedMarks(const QColor& colour);
    QList<double> valuesWithin(const QCPRange& span) const;
    void describeHidden();

    QList<Curve> m_curves;
    QList<QList<double>> m_drawn; ///< the bold curve of each: smoothed or raw
    bool m_smoothable = true;
    bool m_fromZero = false;
    AxisRange m_range;
    qsizetype m_notFinite = 0;
    qsizetype m_skipped = 0;
};

} // namespace trainyard
