#include "app/charts/chart_fills.h"

#include <algorithm>

#include <QColor>
#include <QPainter>
#include <QPen>

#include "app/plan/step_labels.h"

namespace trainyard {

namespace {
constexpr double kTint = 0.35;
constexpr double kStripes = 0.8; ///< opacity
constexpr double kOutline = 1.5;

QColor withOpacity(QColor colour, double opacity)
{
    colour.setAlphaF(static_cast<float>(opacity));
    return colour;
}

} // namespace

void paintPlanned(QPainter& painter, const QRectF& part, const QColor& colour)
{
    painter.fillRect(part, withOpacity(colour, kTint));
    paintCompared(painter, part, colour);
}

void paintPlanned(QPainter& painter, const QRectF& part, const QColor& colour, double transientFrom)
{
    QRectF passing = part;
    passing.setLeft(std::clamp(transientFrom, part.left(), part.right()));
    painter.fillRect(passing, QBrush(withOpacity(colour, kStripes), Qt::FDiagPattern));
    paintPlanned(painter, part, colour);
}

void paintCompared(QPainter& painter, const QRectF& part, const QColor& colour)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, kOutline));
    painter.drawRect(part.adjusted(kOutline / 2, kOutline / 2, -kOutline / 2, -kOutline / 2));
}

namespace {

using Kind = PipelineActionKind;

constexpr double kWeightsShare = 0.5;    ///< of the colour of a whole backward pass, the rest background
constexpr double kLastChunkShare = 0.55; ///< the first chunk has all of its colour

// Of seriesStyle(): blue, vermilion, green. Passes are one cause of a step's time, and need colours of their
// own to be told apart.
constexpr int kForwardSeries = 0;
constexpr int kBackwardSeries = 5;
constexpr int kUpdateSeries = 2;

QColor baseColour(Kind kind, ColourScheme scheme)
{
    switch (kind) {
    case Kind::Forward:
        return seriesStyle(scheme, kForwardSeries).colour;
    case Kind::ReduceGradients:
        return colourOf(CommonCause::DataParallel, scheme);
    case Kind::OptimizerStep:
        return seriesStyle(scheme, kUpdateSeries).colour;
    default:
        return seriesStyle(scheme, kBackwardSeries).colour;
    }
}

QColor mixed(const QColor& colour, const QColor& background, double share)
{
    const auto channel = [share](float a, float b) {
        return static_cast<float>(share * a + (1 - share) * b);
    };
    return QColor::fromRgbF(channel(colour.redF(), background.redF()),
                            channel(colour.greenF(), background.greenF()),
                            channel(colour.blueF(), background.blueF()));
}

QColor colourOfKind(Kind kind, const ThemeColours& colours)
{
    const QColor colour = baseColour(kind, colours.scheme);
    return kind == Kind::BackwardWeight ? mixed(colour, colours.panel, kWeightsShare) : colour;
}

double shareOfChunk(int chunk, int chunks)
{
    return chunk <= 0 ? 1 : 1 - (1 - kLastChunkShare) * chunk / (chunks - 1);
}

LegendEntry entryOf(Kind kind)
{
    return {actionLabel(kind), colourOfKind(kind, coloursOf(ColourScheme::Light)),
            colourOfKind(kind, coloursOf(ColourScheme::Dark))};
}

} // namespace

ActionFill fillOf(const PipelineAction& action, int chunks, const ThemeColours& colours)
{
    const QColor fill =
        mixed(colourOfKind(action.kind, colours), colours.panel, shareOfChunk(action.chunk, chunks));
    const QColor text =
        contrast(fill, colours.text) > contrast(fill, colours.panel) ? colours.text : colours.panel;
    return {fill, text};
}

QList<LegendEntry> actionLegend(bool splitBackward)
{
    QList<LegendEntry> entries{entryOf(Kind::Forward)};
    if (splitBackward)
        entries << entryOf(Kind::BackwardInput) << entryOf(Kind::BackwardWeight);
    else
        entries << entryOf(Kind::Backward);
    return entries << entryOf(Kind::ReduceGradients) << entryOf(Kind::OptimizerStep);
}

} // namespace trainyard
