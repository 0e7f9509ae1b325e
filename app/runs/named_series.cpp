#include "app/runs/named_series.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "app/base/display_text.h"
#include "app/runs/loss_parts.h"
#include "app/runs/open_run.h"
#include "app/runs/recorded_run.h"
#include "engine/records/evaluation_metrics.h"

namespace trainyard {

namespace {

struct StepMetric {
    StepColumn column;
    const char* name;
    Quantity quantity;
    bool fromZero;
};

constexpr std::array kStepMetrics{
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

struct NamedColumn {
    const char* name;
    StepColumn column;
};

constexpr std::array kColumns{
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

std::vector<NamedSeries> ofSteps(const RunFacts& facts, const StepTable& steps)
{
    const SeriesColumn step = steps.column(StepColumn::Step);
    const SeriesColumn wall = steps.column(StepColumn::WallSeconds);
    std::vector<NamedSeries> all;
    const auto add = [&](const char* name, StepColumn column) {
        all.push_back({QLatin1String(name), step, wall, steps.column(column)});
    };
    add("loss", StepColumn::Loss);
    for (const LossPart& part : lossParts(facts))
        add(part.name, part.column);
    for (const NamedColumn& named : kColumns)
        add(named.name, named.column);
    for (std::size_t i = 0; i < kCommonCauses; ++i) {
        const auto cause = CommonCause(i);
        QString name = toQString(nameOf(cause));
        name.replace(QLatin1Char(' '), QLatin1Char('_')).replace(QLatin1Char('-'), QLatin1Char('_'));
        all.push_back({QStringLiteral("time/%1_seconds").arg(name), step, wall, steps.cause(cause)});
    }
    std::erase_if(all, [](const NamedSeries& one) { return !hasNumbers(one.values); });
    return all;
}

const QString kHeldOut = QStringLiteral("Held-out ");

struct EvaluationTitle {
    std::string_view name;
    const char* title;
    Quantity quantity;
};

constexpr std::array kEvaluationTitles{
    EvaluationTitle{"loss", "Held-out loss", Quantity::Number},
    EvaluationTitle{"mlm_loss", "Held-out masked-LM loss", Quantity::Number},
    EvaluationTitle{"mlm_accuracy", "Held-out masked-LM accuracy", Quantity::Share},
    EvaluationTitle{"nsp_loss", "Held-out next-sentence loss", Quantity::Number},
    EvaluationTitle{"nsp_accuracy", "Held-out next-sentence accuracy", Quantity::Share},
    EvaluationTitle{"perplexity", "Held-out perplexity", Quantity::Number},
    EvaluationTitle{"accuracy", "Held-out accuracy", Quantity::Share},
    EvaluationTitle{"bits_per_byte", "Held-out bits per byte", Quantity::Number},
    EvaluationTitle{"exact_match", "Held-out exact match (%)", Quantity::Number},
    EvaluationTitle{"f1", "Held-out F1", Quantity::Number},
    EvaluationTitle{"matthews", "Held-out Matthews correlation", Quantity::Number},
    EvaluationTitle{"pearson", "Held-out Pearson correlation", Quantity::Number},
    EvaluationTitle{"spearman", "Held-out Spearman correlation", Quantity::Number},
};

/// A metric without an entry is shown by its name, so that a new one needs none.
EvaluationSeries titledSeries(std::string_view name)
{
    const auto known = std::ranges::find(kEvaluationTitles, name, &EvaluationTitle::name);
    const QString text = QString::fromUtf8(name.data(), qsizetype(name.size()));
    if (known == kEvaluationTitles.end())
        return {text, kHeldOut + text, Quantity::Number, {}};
    return {text, QString::fromUtf8(known->title), known->quantity, {}};
}

/// Brings a column that lacks a metric in some evaluations to `rows` rows.
void padTo(qsizetype rows, SeriesColumn& values)
{
    while (values.size() < rows)
        values.append(std::numeric_limits<double>::quiet_NaN());
}

/// Dated by their steps, so that a table with one line per step has one time for both.
std::vector<NamedSeries> ofEvaluations(const RunFacts& facts, const RunSeries& series)
{
    const EvaluationTable& table = series.evaluations();
    const SeriesColumn wall = table.positions(series.steps(), StepColumn::WallSeconds);
    std::vector<NamedSeries> all;
    for (const EvaluationSeries& one : evaluationSeries(facts, series)) {
        if (wall.size() == one.values.size() && hasNumbers(one.values))
            all.push_back({QStringLiteral("held_out/") + one.name, table.column(EvaluationColumn::Step), wall,
                           one.values});
    }
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

QString EvaluationSeries::shortTitle() const
{
    return title.startsWith(kHeldOut) ? title.mid(kHeldOut.size()) : title;
}

ModelFamily familyOf(const RunFacts& facts)
{
    return facts.spec ? facts.spec->model.family : ModelFamily::Bert;
}

std::vector<EvaluationSeries> evaluationSeries(const RunFacts& facts, const RunSeries& series)
{
    const EvaluationTable& table = series.evaluations();
    if (table.isEmpty())
        return {};
    std::vector<EvaluationSeries> all{titledSeries("loss")};
    all.front().values = table.column(EvaluationColumn::Loss);
    const auto seriesOf = [&all](std::string_view name) -> EvaluationSeries& {
        const QLatin1String wanted(name.data(), qsizetype(name.size()));
        const auto known =
            std::ranges::find_if(all, [wanted](const EvaluationSeries& one) { return one.name == wanted; });
        return known != all.end() ? *known : all.emplace_back(titledSeries(name));
    };
    for (qsizetype row = 0; row < table.size(); ++row) {
        for (const auto& [name, value] : metricsOf(table.at(row), familyOf(facts))) {
            SeriesColumn& values = seriesOf(name).values;
            padTo(row, values);
            values.append(value);
        }
    }
    for (EvaluationSeries& one : all)
        padTo(table.size(), one.values);
    return all;
}

std::vector<NamedSeries> namedSeries(const RunFacts& facts, const RunSeries& series)
{
    if (facts.import)
        return ofTables(facts.import->tables);
    std::vector<NamedSeries> all = ofSteps(facts, series.steps());
    std::ranges::move(ofEvaluations(facts, series), std::back_inserter(all));
    return all;
}

std::optional<SeriesColumn> ExtraMetric::positions(const StepTable& steps, StepColumn axis) const
{
    if (column)
        return steps.recorded(axis, *column);
    if (evaluations) {
        SeriesColumn placed = evaluations->positions(steps, axis);
        placed.truncate(values.size()); // the run may have evaluated since
        return placed.size() == values.size() ? std::optional(placed) : std::nullopt;
    }
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
        if (hasAllWords(series.name, words) && hasNumbers(series.values))
            list.push_back(std::move(series));
    };
    const auto putColumn = [&](const char* name, Quantity quantity, bool fromZero, StepColumn column) {
        put({QString::fromUtf8(name), quantity, fromZero, run.series().steps().recorded(column, column),
             column});
    };
    for (const LossPart& part : lossParts(run.facts()))
        putColumn(part.title, Quantity::Number, false, part.column);
    for (const StepMetric& metric : kStepMetrics)
        putColumn(metric.name, metric.quantity, metric.fromZero, metric.column);
    for (const EvaluationSeries& one : evaluationSeries(run.facts(), run.series())) {
        if (one.name != QLatin1String("loss")) // which is in the chart of the loss
            put({one.title, one.quantity, false, one.values, std::nullopt, &run.series().evaluations()});
    }
    if (run.facts().import) {
        for (const SeriesTable& table : run.facts().import->tables) {
            for (qsizetype column = 2; column < table.names.size(); ++column)
                put({table.names[column], Quantity::Number, false, table.values[column], std::nullopt,
                     nullptr, &table});
        }
    }
    std::ranges::stable_sort(list,
                             [](const ExtraMetric& a, const ExtraMetric& b) { return a.name < b.name; });
    return list;
}

} // namespace trainyard
