#include "app/designer/model/alternative_list_model.h"

#include <QStringList>

#include "app/base/display_text.h"
#include "app/plan/layout_summary.h"
#include "engine/planner/search/tradeoffs.h"
#include "engine/spec/phases/batch_ramp.h"

namespace trainyard {

namespace {

FoundLayout presentLayout(const PlannedDesign& design)
{
    const PlannedTime& time = design.time();
    const double sequences = static_cast<double>(samplesOf(design.spec));
    FoundLayout present;
    present.spec = design.spec;
    present.time = time.step;
    present.sequencesPerSecond = time.stats.sequencesPerSecond;
    present.costPerMillionSequences = sequences > 0 ? 1e6 * time.training.cost / sequences : 0;
    present.onDevice = design.plan.memory.onDevice();
    present.onHost = design.plan.memory.total() - present.onDevice;
    return present;
}

bool sameLayout(const RunSpec& a, const RunSpec& b)
{
    return a.layout == b.layout && a.batch == b.batch && a.memory == b.memory;
}

QString joined(const std::vector<std::string>& parts)
{
    QStringList list;
    for (const std::string& part : parts)
        list << QString::fromStdString(part);
    return list.join(QStringLiteral(", "));
}

QString detailsOf(const FoundLayout& layout)
{
    using Model = AlternativeListModel;
    QStringList lines{Model::tr("%1 sequences per second").arg(displayNumber(layout.sequencesPerSecond)),
                      Model::tr("%1 per step").arg(displaySeconds(layout.time.seconds)),
                      Model::tr("%1 on the device").arg(displayBytes(static_cast<double>(layout.onDevice)))};
    if (layout.onHost > 0)
        lines << Model::tr("%1 in host memory").arg(displayBytes(static_cast<double>(layout.onHost)));
    if (layout.costPerMillionSequences > 0)
        lines << Model::tr("%1 per million sequences").arg(displayNumber(layout.costPerMillionSequences));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

void applyLayout(RunSpec& spec, const FoundLayout& layout)
{
    spec.layout = layout.spec.layout;
    spec.batch = layout.spec.batch;
    spec.memory = layout.spec.memory;
}

void AlternativeListModel::setLayouts(std::vector<FoundLayout> layouts)
{
    beginResetModel();
    m_layouts = std::move(layouts);
    endResetModel();
}

void AlternativeListModel::setPresent(const PlannedDesign& design)
{
    m_present.reset();
    if (design.hasTime())
        m_present = presentLayout(design);
    if (!m_layouts.empty())
        emit dataChanged(index(0), index(rowCount() - 1));
}

int AlternativeListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_layouts.size());
}

QString AlternativeListModel::tradeOff(const FoundLayout& layout) const
{
    if (!m_present)
        return {};
    if (sameLayout(layout.spec, m_present->spec))
        return tr("current design");
    const Tradeoffs found = tradeoffs(layout, *m_present);
    QStringList lines;
    if (!found.gains.empty())
        lines << tr("+ %1").arg(joined(found.gains));
    if (!found.losses.empty())
        lines << tr("− %1").arg(joined(found.losses));
    return lines.join(QLatin1Char('\n'));
}

QString AlternativeListModel::text(const FoundLayout& layout) const
{
    QStringList lines{layoutSummary(layout.spec)};
    if (const QString measures = memoryMeasures(layout.spec.memory); !measures.isEmpty())
        lines << measures;
    if (const QString trade = tradeOff(layout); !trade.isEmpty())
        lines << trade;
    return lines.join(QLatin1Char('\n'));
}

QVariant AlternativeListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return text(at(index.row()));
    case Qt::ToolTipRole:
        return detailsOf(at(index.row()));
    default:
        return {};
    }
}

} // namespace trainyard
