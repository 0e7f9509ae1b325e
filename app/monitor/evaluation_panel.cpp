#include "app/monitor/evaluation_panel.h"

#include <algorithm>

#include <QHeaderView>

#include "app/base/theme.h"
#include "app/monitor/model/evaluation_text.h"
#include "app/runs/open_run.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"

namespace trainyard {

namespace {

constexpr int kMaxShownEvaluations = 6; ///< rows of the table; older ones are scrolled to

} // namespace

EvaluationPanel::EvaluationPanel(QWidget* parent)
    : QFrame(parent), m_view(new TableView(tr("Held-out evaluations"), this))
{
    setRole(this, "panel");
    m_view->setModel(&m_model);
    m_view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_view->horizontalHeader()->setStretchLastSection(true);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = columnLayout(this, metrics::kHalf, metrics::kLowPanelMargins);
    column->addWidget(makeLabel(tr("Held-out evaluations"), "heading", this));
    column->addWidget(m_view);
    hide();
}

/// Long runs have thousands of evaluations and change many times a second, so the table is made anew only
/// when there is another one.
void EvaluationPanel::show(const OpenRun& run)
{
    const EvaluationTable& evaluations = run.series().evaluations();
    setVisible(!evaluations.isEmpty());
    if (m_runId == run.id() && m_rows == evaluations.size() && m_rewrites == evaluations.rewrites())
        return;
    m_runId = run.id();
    m_rows = evaluations.size();
    m_rewrites = evaluations.rewrites();
    m_model.setTable(evaluationText(run.facts(), run.series()));
    fitHeight();
}

void EvaluationPanel::fitHeight()
{
    const int rows = std::clamp(m_model.rowCount(), 1, kMaxShownEvaluations);
    m_view->setFixedHeight(m_view->horizontalHeader()->sizeHint().height() + rows * TableView::kRowHeight +
                           2);
}

} // namespace trainyard
