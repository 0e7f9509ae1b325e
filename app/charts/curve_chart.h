#pragma once

#include <QList>
#include <QPen>

#include "app/base/pool_work.h"
#include "app/charts/chart_options.h"
#include "app/charts/chart_panel.h"
#include "app/series/axis.h"
#include "app/series/curve_view.h"

namespace trainyard {

class CurveLayer;
struct DrawnBand;
struct DrawnLine;

/// One curve of a chart. x is ascending; y may hold NaN and infinities, which are marked on the axis.
struct Curve {
    QString name;
    SeriesColumn x;
    SeriesColumn y;
    int style = 0;       ///< number of its look, see seriesStyle()
    bool marked = false; ///< each point is a measurement of its own and gets a dot
    /// A few exact values with dots, never smoothed; after another curve the read-out shows its name.
    bool aside = false;
    /// Some of x, ascending: steps whose update was skipped. They are marked on the axis, and what is not
    /// finite there is what they were skipped for.
    QList<double> skipped = {};
    /// An area around the curve, such as the least and the most of several seeds: as long as x, or empty.
    SeriesColumn lower = {};
    SeriesColumn upper = {};
    /// Name of an earlier curve that it lies on; it is then drawn with gaps, so that both are seen.
    QString sameAs = {};
};

/// Curves over steps, tokens or time, of any length. With smoothing the smoothed curve is drawn boldly and
/// the raw one faintly. Where many points share a pixel, the pixel shows all from the least to the most of
/// them.
///
/// setCurves() costs next to nothing for curves that are those shown before, only longer.
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
    const std::vector<DrawnLine>& lines() const;

    QList<ChartValue> valuesAt(double x) const override;

protected:
    void rebuild() override;
    bool isEmpty() const override;
    QCPRange fullSpan() const override;
    double snapped(double x) const override;
    QString readOut(double x, bool isCursor) const override;
    QString briefReadOut(double x, bool isCursor) const override;
    void writeCsv(QTextStream& out) const override;
    double neighbour(double x, int direction) const override;

private:
    bool isSmoothed() const;
    ChartSpan dataSpan() const;
    void followSpan(bool goOn);
    void followViews();
    bool isDense(std::size_t curve) const;
    bool isSmoothed(const Curve& curve) const { return isSmoothed() && !curve.aside; }
    QString valueAt(double x, bool withAverage) const;
    QString asidesAt(double x) const;
    bool hasGrown() const;
    std::vector<std::size_t> placedLike() const;
    DrawnLine rawLine(std::size_t curve, const QPen& pen) const;
    DrawnLine smoothedLine(std::size_t curve, const QPen& pen) const;
    void drawLines();
    std::vector<DrawnBand> bands() const;
    void fitVertically();
    QList<double> startsInView() const;
    void extendToZero();
    void addNotFiniteMarks(const QColor& colour);
    void addSkippedMarks(const QColor& colour);
    void countOutside();
    void describeHidden();

    QList<Curve> m_curves;
    std::vector<SmoothedSeries> m_smoothed; ///< of each curve, while smoothing is on
    std::vector<CurveView> m_views;         ///< of each curve, the part that is shown
    PixelEdges m_edges;
    bool m_sameEdges = false;       ///< as when the chart was drawn before
    ChartSpan m_span;               ///< of all curves
    double m_end = 1;               ///< of the axis when all is shown: a little ahead of curves that grow
    CurveLayer* m_layer;            ///< owned by the plot
    LatestJob<qsizetype> m_outside; ///< counts what is out of view where that takes long
    bool m_smoothable = true;
    bool m_fromZero = false;
    AxisRange m_fitted; ///< to what is in view
    AxisDemand m_demand;
    AxisRange m_range; ///< that is shown
    qsizetype m_notFinite = 0;
    qsizetype m_skipped = 0;
};

} // namespace trainyard
