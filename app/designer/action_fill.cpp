#include "app/designer/action_fill.h"

#include "app/models/step_words.h"

namespace trainyard {

namespace {

using Kind = PipelineActionKind;

constexpr double kWeightsShare = 0.5;    ///< of the colour of a whole backward pass, the rest background
constexpr double kLastChunkShare = 0.55; ///< the first chunk has all of its colour

StepPhase phaseOf(Kind kind)
{
    switch (kind) {
    case Kind::Forward:
        return StepPhase::Forward;
    case Kind::ReduceGradients:
        return StepPhase::Reduce;
    case Kind::OptimizerStep:
        return StepPhase::Optimizer;
    default:
        return StepPhase::Backward;
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
    const QColor colour = colourOf(phaseOf(kind), colours.scheme);
    return kind == Kind::BackwardWeight ? mixed(colour, colours.panel, kWeightsShare) : colour;
}

double shareOfChunk(int chunk, int chunks)
{
    return chunk <= 0 ? 1 : 1 - (1 - kLastChunkShare) * chunk / (chunks - 1);
}

LegendEntry entryOf(Kind kind)
{
    return {actionWords(kind), colourOfKind(kind, coloursOf(ColourScheme::Light)),
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
