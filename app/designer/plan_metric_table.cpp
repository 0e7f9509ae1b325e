#include "app/designer/plan_metric_table.h"

#include <algorithm>

#include <QGridLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

const char* styleOf(Tone tone)
{
    return tone == Tone::Good ? "good" : tone == Tone::Bad ? "bad" : "muted";
}

/// Returns the same metric of another design; null if it is missing there.
const PlanMetric* counterpart(const PlanMetric& metric, const std::vector<PlanMetric>& others)
{
    const auto found =
        std::ranges::find_if(others, [&](const PlanMetric& other) { return other.isSame(metric); });
    return found == others.end() ? nullptr : &*found;
}

} // namespace

PlanMetricTable::PlanMetricTable(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this))
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setVerticalSpacing(metrics::kHalf);
    m_grid->setHorizontalSpacing(metrics::kGap);
    m_grid->setColumnStretch(0, 1);
}

void PlanMetricTable::addRow()
{
    const int row = static_cast<int>(m_rows.size());
    m_rows.push_back({new ElidedLabel("muted"), makeLabel({}), makeLabel({}, "change")});
    m_rows.back().value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_grid->addWidget(m_rows.back().name, row, 0);
    m_grid->addWidget(m_rows.back().value, row, 1, Qt::AlignRight);
    m_grid->addWidget(m_rows.back().change, row, 2, Qt::AlignRight);
}

void PlanMetricTable::show(const Row& row, const PlanMetric& metric, const PlanMetric* kept)
{
    row.name->setFullText(metric.name);
    row.value->setText(metric.value);
    row.name->setHelp(metric.help());
    row.value->setAccessibleName(metric.name);
    row.value->setAccessibleDescription(metric.help());
    row.value->setToolTip(wrappedToolTip(metric.help()));
    row.change->setText(kept ? changeText(metric, *kept) : QString());
    row.change->setToolTip(kept ? tr("design saved for comparison: %1").arg(kept->value) : QString());
    setStyleProperty(row.change, "tone", styleOf(kept ? changeTone(metric, *kept) : Tone::Muted));
}

void PlanMetricTable::setMetrics(const std::vector<PlanMetric>& metrics, const std::vector<PlanMetric>& kept)
{
    while (m_rows.size() < metrics.size())
        addRow();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const bool used = i < metrics.size();
        m_rows[i].name->setVisible(used);
        m_rows[i].value->setVisible(used);
        m_rows[i].change->setVisible(used && !kept.empty());
        if (used)
            show(m_rows[i], metrics[i], counterpart(metrics[i], kept));
    }
}

} // namespace trainyard
