#pragma once

#include <vector>

#include <qcustomplot.h>

#include "app/models/value_summary.h"

namespace trainyard {

/// A line as it is drawn: a few points one by one, or what each pixel column of the plot shows of very many.
struct DrawnLine {
    QPen pen;
    bool dots = false;
    bool stroked = true;                 ///< worth a pen's smooth stroke; else pixel by pixel
    std::vector<QPointF> points{};       ///< in the axes' units; NaN breaks the line
    std::vector<ValueSummary> columns{}; ///< from the left to the right; used when there are no points
};

/// The area between two lines, in columns of equal width: least of the lower to most of the upper one.
struct DrawnBand {
    QColor colour;
    std::vector<ValueSummary> columns;
};

/// The lines of a chart. What comes in pixel columns is put down pixel by pixel, so a hundred curves of a
/// million points take milliseconds; a vector image gets the same as strokes.
class CurveLayer : public QCPAbstractPlottable {
    Q_OBJECT

public:
    CurveLayer(QCPAxis& horizontal, QCPAxis& vertical);

    void setLines(std::vector<DrawnLine> lines) { m_lines = std::move(lines); }
    void setBands(std::vector<DrawnBand> bands) { m_bands = std::move(bands); }
    const std::vector<DrawnLine>& lines() const { return m_lines; }
    /// Thick smooth strokes, for charts of a few lines; without it every line is one pixel wide.
    void setFine(bool fine) { m_fine = fine; }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    bool isStroked(const DrawnLine& line) const;
    void drawColumns(QCPPainter& painter) const;
    void drawPoints(QCPPainter& painter, const DrawnLine& line) const;
    void strokeColumns(QCPPainter& painter, const DrawnLine& line) const;

    std::vector<DrawnLine> m_lines;
    std::vector<DrawnBand> m_bands;
    bool m_fine = true;
};

} // namespace trainyard
