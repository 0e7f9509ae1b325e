#include "app/runs/further_series.h"

#include <algorithm>
#include <array>

#include "app/runs/open_run.h"

namespace trainyard {

namespace {

struct StepFigure {
    StepColumn column;
    const char* name;
    Quantity quantity;
    bool fromZero;
};

constexpr std::array kStepFigures{
    StepFigure{StepColumn::MlmLoss, "masked-LM loss", Quantity::Number, false},
    StepFigure{StepColumn::NspLoss, "next-sentence loss", Quantity::Number, false},
    StepFigure{StepColumn::StepSeconds, "step time", Quantity::Seconds, true},
    StepFigure{StepColumn::TokensPerSecond, "tokens/s", Quantity::Number, true},
    StepFigure{StepColumn::PeakMemory, "memory of the fullest rank", Quantity::Bytes, true},
};

bool hasNumbers(const SeriesColumn& column)
{
    for (qsizetype chunk = 0; chunk < column.chunkCount(); ++chunk) {
        if (column.chunkSummary(chunk).finite > 0)
            return true;
    }
    return false;
}

bool matches(const QString& name, const QStringList& words)
{
    return std::all_of(words.begin(), words.end(),
                       [&](const QString& word) { return name.contains(word, Qt::CaseInsensitive); });
}

} // namespace

std::optional<SeriesColumn> FurtherSeries::positions(const StepTable& steps, StepColumn axis) const
{
    if (!table)
        return steps.recorded(axis, *column);
    switch (axis) {
    case StepColumn::Step:
        return table->values[0];
    case StepColumn::WallSeconds:
        return table->values[1];
    default:
        return std::nullopt;
    }
}

std::vector<FurtherSeries> furtherSeries(const OpenRun& run, const QString& filter)
{
    const QStringList words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<FurtherSeries> list;
    const auto put = [&](FurtherSeries series) {
        if (matches(series.name, words) && hasNumbers(series.values))
            list.push_back(std::move(series));
    };
    for (const StepFigure& figure : kStepFigures)
        put({QString::fromUtf8(figure.name), figure.quantity, figure.fromZero,
             run.series().steps().recorded(figure.column, figure.column), figure.column, nullptr});
    if (run.facts().import) {
        for (const SeriesTable& table : run.facts().import->tables) {
            for (qsizetype column = 2; column < table.names.size(); ++column)
                put({table.names[column], Quantity::Number, false, table.values[column], std::nullopt,
                     &table});
        }
    }
    std::ranges::stable_sort(list,
                             [](const FurtherSeries& a, const FurtherSeries& b) { return a.name < b.name; });
    return list;
}

} // namespace trainyard
