#include "app/runs/named_series.h"

#include <algorithm>
#include <array>

#include "app/base/display_text.h"
#include "app/runs/open_run.h"
#include "app/runs/recorded_run.h"

namespace trainyard {

namespace {

struct StepMetric {
    StepColumn column;
    const char* name;
    Quantity quantity;
    bool fromZero;
};

constexpr std::array kStepMetrics{
    StepMetric{StepColumn::MlmLoss, "Masked-LM loss", Quantity::Number, false},
    StepMetric{StepColumn::NspLoss, "Next-sentence loss", Quantity::Number, false},
    StepMetric{StepColumn::StepSeconds, "Step time", Quantity::Seconds, true},
    StepMetric{StepColumn::TokensPerSecond, "Tokens/s", Quantity::Number, true},
    StepMetric{StepColumn::PeakMemory, "Peak memory, fullest rank", Quantity::Bytes, true},
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

struct NamedColumn {
    const char* name;
    StepColumn column;
};

constexpr std::array kColumns{
    NamedColumn{"loss", StepColumn::Loss},
    NamedColumn{"loss/masked_lm", StepColumn::MlmLoss},
    NamedColumn{"loss/next_sentence", StepColumn::NspLoss},
    NamedColumn{"learning_rate", StepColumn::LearningRate},
    NamedColumn{"gradient_norm", StepColumn::GradientNorm},
    NamedColumn{"throughput/sequences_per_second", StepColumn::SequencesPerSecond},
    NamedColumn{"throughput/tokens_per_second", StepColumn::TokensPerSecond},
    NamedColumn{"memory/peak_bytes_of_a_rank", StepColumn::PeakMemory},
    NamedColumn{"consumed/samples", StepColumn::Samples},
    NamedColumn{"consumed/tokens", StepColumn::Tokens},
    NamedColumn{"time/training_seconds", StepColumn::TrainingSeconds},
    NamedColumn{"time/step_seconds", StepColumn::StepSeconds},
};

std::vector<NamedSeries> ofSteps(const StepTable& steps)
{
    const SeriesColumn step = steps.column(StepColumn::Step);
    const SeriesColumn wall = steps.column(StepColumn::WallSeconds);
    std::vector<NamedSeries> all;
    for (const NamedColumn& named : kColumns)
        all.push_back({QLatin1String(named.name), step, wall, steps.column(named.column)});
    for (std::size_t i = 0; i < kCommonCauses; ++i) {
        const auto cause = CommonCause(i);
        QString name = toQString(nameOf(cause));
        name.replace(QLatin1Char(' '), QLatin1Char('_')).replace(QLatin1Char('-'), QLatin1Char('_'));
        all.push_back({QStringLiteral("time/%1_seconds").arg(name), step, wall, steps.cause(cause)});
    }
    std::erase_if(all, [](const NamedSeries& one) { return !hasNumbers(one.values); });
    return all;
}

std::vector<NamedSeries> ofTables(const std::vector<SeriesTable>& tables)
{
    std::vector<NamedSeries> all;
    for (const SeriesTable& table : tables) {
        for (qsizetype column = 2; column < table.names.size(); ++column)
            all.push_back({table.names[column], table.values[0], table.values[1], table.values[column]});
    }
    return all;
}

} // namespace

std::vector<NamedSeries> namedSeries(const RunFacts& facts, const RunSeries& series)
{
    return facts.import ? ofTables(facts.import->tables) : ofSteps(series.steps());
}

std::optional<SeriesColumn> ExtraMetric::positions(const StepTable& steps, StepColumn axis) const
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

std::vector<ExtraMetric> extraMetrics(const OpenRun& run, const QString& filter)
{
    const QStringList words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<ExtraMetric> list;
    const auto put = [&](ExtraMetric series) {
        if (matches(series.name, words) && hasNumbers(series.values))
            list.push_back(std::move(series));
    };
    for (const StepMetric& metric : kStepMetrics)
        put({QString::fromUtf8(metric.name), metric.quantity, metric.fromZero,
             run.series().steps().recorded(metric.column, metric.column), metric.column, nullptr});
    if (run.facts().import) {
        for (const SeriesTable& table : run.facts().import->tables) {
            for (qsizetype column = 2; column < table.names.size(); ++column)
                put({table.names[column], Quantity::Number, false, table.values[column], std::nullopt,
                     &table});
        }
    }
    std::ranges::stable_sort(list,
                             [](const ExtraMetric& a, const ExtraMetric& b) { return a.name < b.name; });
    return list;
}

} // namespace trainyard
