#include "app/runs/named_series.h"

#include <array>

#include "app/runs/recorded_run.h"

namespace trainyard {

namespace {

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

bool saysNothing(const SeriesColumn& values)
{
    const ValueSummary all = values.summary(0, values.size());
    return all.finite == 0;
}

std::vector<NamedSeries> ofSteps(const StepTable& steps)
{
    const SeriesColumn step = steps.column(StepColumn::Step);
    const SeriesColumn wall = steps.column(StepColumn::WallSeconds);
    std::vector<NamedSeries> all;
    for (const NamedColumn& named : kColumns)
        all.push_back({QLatin1String(named.name), step, wall, steps.column(named.column)});
    for (std::size_t i = 0; i < kCommonCauses; ++i) {
        const auto cause = CommonCause(i);
        QString name = QString::fromUtf8(nameOf(cause).data(), qsizetype(nameOf(cause).size()));
        name.replace(QLatin1Char(' '), QLatin1Char('_')).replace(QLatin1Char('-'), QLatin1Char('_'));
        all.push_back({QStringLiteral("time/%1_seconds").arg(name), step, wall, steps.cause(cause)});
    }
    std::erase_if(all, [](const NamedSeries& one) { return saysNothing(one.values); });
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

} // namespace trainyard
