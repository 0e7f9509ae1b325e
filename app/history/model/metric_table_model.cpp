#include "app/history/model/metric_table_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "app/base/display_text.h"
#include "app/base/phase_label.h"
#include "app/base/tone.h"
#include "app/runs/loss_parts.h"
#include "app/runs/open_run.h"
#include "app/runs/recorded_run.h"
#include "app/runs/run_database.h"
#include "app/runs/run_phase.h"

namespace trainyard {

namespace {

enum class Best { Nothing, Least, Most };

struct Metric {
    const char* title;
    const char* unit;
    Best best;
    QString (*text)(double);
    double (*value)(const OpenRun&);
};

RunEntry entryOf(const OpenRun& run)
{
    RunEntry entry;
    updateEntry(entry, run.facts(), run.series());
    return entry;
}

double lowest(const SeriesColumn& values)
{
    const ValueSummary all = values.summary(0, values.size());
    return all.finite > 0 ? all.min : std::nan("");
}

double lastOf(const OpenRun& run, StepColumn column)
{
    return run.series().steps().last(column);
}

/// NaN where the run's loss has no such part.
double lastPartOf(const OpenRun& run, StepColumn part)
{
    return isLossPart(run.facts(), part) ? lastOf(run, part) : std::nan("");
}

double largestPeak(const OpenRun& run)
{
    Bytes most = 0;
    for (const RankSummary& rank : run.series().ranks())
        most = std::max(most, rank.peak.peakTotal);
    return run.series().ranks().empty() ? std::nan("") : double(most);
}

QString wholeText(double value)
{
    return std::isfinite(value) ? displayCount(qint64(value)) : displayNumber(value);
}

const std::array kMetrics{
    Metric{"Step", "", Best::Nothing, wholeText, [](const OpenRun& r) { return double(entryOf(r).step); }},
    Metric{"Ranks", "", Best::Nothing, wholeText,
           [](const OpenRun& r) { return double(entryOf(r).worldSize); }},
    Metric{"Last loss", "", Best::Least, displayLoss, [](const OpenRun& r) { return entryOf(r).loss; }},
    Metric{"Lowest loss", "", Best::Least, displayLoss,
           [](const OpenRun& r) { return lowest(r.series().steps().column(StepColumn::Loss)); }},
    Metric{"Last held-out", "", Best::Least, displayLoss,
           [](const OpenRun& r) { return r.series().evaluations().last(EvaluationColumn::Loss); }},
    Metric{"Best held-out", "", Best::Least, displayLoss,
           [](const OpenRun& r) { return r.series().evaluations().atLowestLoss(EvaluationColumn::Loss); }},
    Metric{"Best at step", "", Best::Nothing, wholeText,
           [](const OpenRun& r) { return r.series().evaluations().atLowestLoss(EvaluationColumn::Step); }},
    Metric{"Masked-LM", "", Best::Least, displayLoss,
           [](const OpenRun& r) { return lastPartOf(r, StepColumn::MlmLoss); }},
    Metric{"Next-sentence", "", Best::Least, displayLoss,
           [](const OpenRun& r) { return lastPartOf(r, StepColumn::NspLoss); }},
    Metric{"seq/s", "sequences/s", Best::Most, displayNumber,
           [](const OpenRun& r) { return entryOf(r).sequencesPerSecond; }},
    Metric{"tokens/s", "tokens/s", Best::Most, displayNumber,
           [](const OpenRun& r) { return lastOf(r, StepColumn::TokensPerSecond); }},
    Metric{"Time", "s", Best::Nothing, displaySeconds,
           [](const OpenRun& r) { return lastOf(r, StepColumn::TrainingSeconds); }},
    Metric{"Tokens", "", Best::Nothing, displayNumber,
           [](const OpenRun& r) { return lastOf(r, StepColumn::Tokens); }},
    Metric{"Peak memory", "bytes", Best::Least, displayBytes, largestPeak},
};

constexpr int kWordColumns = 2; ///< name, and state or number of runs

QString statesOf(const RunGroup& group)
{
    std::set<QString> words;
    for (const OpenRun* run : group.runs)
        words.insert(wordOf(displayStateOf(run->series().status().state)));
    const QString states = QStringList(words.begin(), words.end()).join(QStringLiteral(", "));
    const OpenRun& first = *group.runs.first();
    if (group.runs.size() == 1 && first.facts().spec && !first.facts().spec->phases.empty())
        return QObject::tr("%1, phase %2")
            .arg(states, phaseLabel(*first.facts().spec, phaseNow(first.facts(), first.series())));
    return group.runs.size() == 1 ? states : QObject::tr("%1 runs, %2").arg(group.runs.size()).arg(states);
}

QString fullText(const Metric& metric, const AggregatedCurve& curve, qsizetype count)
{
    const auto exact = [&](double value) {
        return QString::number(value, 'g', 12) +
               (*metric.unit ? QLatin1Char(' ') + QLatin1String(metric.unit) : QString());
    };
    const double middle = curve.middle.last();
    if (count < 2 || curve.lower.last() == curve.upper.last())
        return exact(middle);
    return QObject::tr("%1, %2 to %3, %4 runs")
        .arg(exact(middle), exact(curve.lower.last()), exact(curve.upper.last()))
        .arg(count);
}

} // namespace

void MetricTableModel::setGroups(const QList<RunGroup>& groups, Middle middle, Spread spread)
{
    QList<QList<Cell>> rows;
    QStringList names;
    for (const RunGroup& group : groups) {
        names.append(group.name);
        QList<Cell> row{{group.name, 0, group.name, false}, {statesOf(group), 0, statesOf(group), false}};
        for (const Metric& metric : kMetrics) {
            QList<RunCurve> points;
            for (const OpenRun* run : group.runs)
                points.append({{0}, {metric.value(*run)}});
            const AggregatedCurve all = aggregate(points, middle, spread);
            const double value = all.middle.last();
            const double side = (all.upper.last() - all.lower.last()) / 2;
            const QString text =
                metric.text(value) + (side > 0 ? QStringLiteral(" ± ") + metric.text(side) : QString());
            row.append({text, value, fullText(metric, all, group.runs.size()), false});
        }
        rows.append(row);
    }
    const bool sameShape = names == m_names;
    if (!sameShape)
        beginResetModel();
    m_rows = rows;
    m_names = names;
    markBest();
    if (!sameShape)
        endResetModel();
    else if (!m_rows.isEmpty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

/// All that read the same as the best are; where every row does, none is better than another.
void MetricTableModel::markBest()
{
    for (std::size_t i = 0; i < kMetrics.size(); ++i) {
        QList<Cell*> compared;
        for (QList<Cell>& row : m_rows) {
            Cell& cell = row[qsizetype(i) + kWordColumns];
            if (kMetrics[i].best != Best::Nothing && std::isfinite(cell.value))
                compared.append(&cell);
        }
        const auto [least, most] =
            std::ranges::minmax_element(compared, {}, [](const Cell* cell) { return cell->value; });
        if (compared.isEmpty() || (*least)->text == (*most)->text)
            continue;
        const QString best = kMetrics[i].best == Best::Least ? (*least)->text : (*most)->text;
        for (Cell* cell : compared)
            cell->isBest = cell->text == best;
    }
}

int MetricTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int MetricTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kWordColumns + int(kMetrics.size());
}

QVariant MetricTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Cell& cell = m_rows[index.row()][index.column()];
    switch (role) {
    case Qt::DisplayRole:
        return cell.isBest ? QStringLiteral("★ ") + cell.text : cell.text;
    case Qt::ToolTipRole:
        return toolTipOf(cell.isBest ? tr("best: %1").arg(cell.full) : cell.full);
    case Qt::TextAlignmentRole:
        return int((index.column() < kWordColumns ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case kToneRole:
        return int(cell.isBest ? Tone::Good : Tone::Plain);
    case SortRole:
        return index.column() < kWordColumns ? QVariant(cell.text.toLower()) : QVariant(cell.value);
    default:
        return {};
    }
}

QVariant MetricTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount())
        return {};
    if (section < kWordColumns)
        return section == 0 ? tr("Run") : tr("State");
    return QLatin1String(kMetrics[std::size_t(section - kWordColumns)].title);
}

} // namespace trainyard
