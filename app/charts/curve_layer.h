#pragma once

#include <vector>

#include <qcustomplot.h>

#include "app/charts/column_image.h"
#include "app/series/summary_levels.h"

namespace trainyard {

/// A line as it is drawn: a few points one by one, or what each pixel column of the plot shows of very many.
struct DrawnLine {
    QPen pen;
    bool dots = false;
    bool stroked = true;                 ///< worth a pen's smooth stroke; else pixel by pixel
    std::vector<QPointF> points{};       ///< in the axes' units; NaN breaks the line
    std::vector<ValueSummary> columns{}; ///< from the left to the right; used when there are no points
    std::size_t changedFrom = 0;         ///< the columns before it are those that were drawn before
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

    void setLines(std::vector<DrawnLine> lines);
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
    /// What an image of columns follows from besides their values.
    struct Look {
        QSize size;
        HeightScale scale;
        std::vector<std::pair<QRgb, std::size_t>> shapes; ///< colour and number of columns of each
        bool operator==(const Look&) const = default;
    };

    bool isStroked(const DrawnLine& line) const;
    void drawColumns(QCPPainter& painter);
    bool isPainted(const DrawnLine& line) const;
    int firstChangedPixel(int width) const;
    void drawPoints(QCPPainter& painter, const DrawnLine& line) const;
    void strokeColumns(QCPPainter& painter, const DrawnLine& line) const;

    std::vector<DrawnLine> m_lines;
    std::vector<DrawnBand> m_bands;
    bool m_fine = true;
    QImage m_image;         ///< of the columns that were drawn last
    Look m_look;            ///< of that image
    bool m_isDrawn = false; ///< the image shows the present lines
};

} // namespace trainyard
