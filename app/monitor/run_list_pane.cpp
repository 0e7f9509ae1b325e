#include "app/monitor/run_list_pane.h"

#include <QLabel>
#include <QListView>

#include "app/base/display_text.h"
#include "app/runs/controls/run_row_delegate.h"
#include "app/runs/controls/run_search_field.h"
#include "app/widgets/roles.h"

namespace trainyard {

RunListPane::RunListPane(RunListModel& model, QWidget* parent)
    : QFrame(parent)
    , m_model(model)
    , m_search(new RunSearchField(m_filter, this))
    , m_count(makeLabel({}, "small", this))
    , m_list(makeRunList(m_filter, tr("Runs"), this))
{
    setRole(this, "panel");
    m_filter.setSourceModel(&model);
    auto* column =
        columnLayout(this, metrics::kGap, {metrics::kGap, metrics::kGap, metrics::kGap, metrics::kHalf});
    column->addWidget(m_search);
    column->addWidget(m_search->problemLabel());
    column->addWidget(m_list, 1);
    column->addWidget(buildFoot());

    connect(m_search, &RunSearchField::searching, this, [this] { m_isSearching = true; });
    connect(m_search, &RunSearchField::searched, this, &RunListPane::onSearched);
    connect(m_search, &QLineEdit::returnPressed, m_list, qOverload<>(&QWidget::setFocus));
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &RunListPane::onCurrentRow);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_list, &QWidget::customContextMenuRequested, this,
            [this](const QPoint& place) { askForMenu(m_list->viewport()->mapToGlobal(place)); });
    // Not the filter's signal: its rows disappear before those of the model, too early to count both.
    connect(&m_filter, &QAbstractItemModel::rowsInserted, this, &RunListPane::showCount);
    connect(&model, &QAbstractItemModel::rowsRemoved, this, &RunListPane::showCount);
    showCount();
}

QWidget* RunListPane::buildFoot()
{
    auto* more = makeButton(tr("Actions"), "link");
    more->setToolTip(tr("Actions for the chosen run: archive, export, delete and more"));
    connect(more, &QPushButton::clicked, this,
            [this, more] { askForMenu(more->mapToGlobal(QPoint(0, more->height()))); });
    auto* import = makeButton(tr("Import"), "link");
    import->setToolTip(tr("Imports runs from TensorBoard or a CSV table"));
    connect(import, &QPushButton::clicked, this,
            [this, import] { emit importWanted(import->mapToGlobal(QPoint(0, import->height()))); });
    auto* foot = new QWidget;
    auto* row = rowLayout(foot, -1);
    row->addWidget(m_count, 1);
    row->addWidget(more);
    row->addWidget(import);
    return foot;
}

void RunListPane::askForMenu(const QPoint& place)
{
    if (const QString run = currentRun(); !run.isEmpty())
        emit menuWanted(run, place);
}

void RunListPane::onCurrentRow()
{
    if (m_isSearching)
        return;
    const QModelIndex current = m_list->currentIndex();
    m_run = current.isValid() ? current.data(RunListModel::EntryRole).value<RunEntry>().id : QString();
    emit currentRunChanged(m_run);
}

/// The view has gone to a neighbour of a row that vanished.
void RunListPane::onSearched()
{
    m_list->setCurrentIndex(m_filter.mapFromSource(m_model.indexOf(m_run)));
    m_isSearching = false;
    showCount();
}

void RunListPane::select(const QString& runId)
{
    const QModelIndex known = m_model.indexOf(runId);
    if (known.isValid() && !m_filter.mapFromSource(known).isValid())
        m_search->clear(); // it is asked for by name, and hidden
    const QModelIndex at = m_filter.mapFromSource(known);
    m_list->setCurrentIndex(at);
    m_list->scrollTo(at);
}

void RunListPane::focusSearch()
{
    m_search->takeFocus();
}

void RunListPane::focusList()
{
    m_list->setFocus();
}

void RunListPane::showCount()
{
    const int shown = m_filter.rowCount();
    const int all = m_model.rowCount();
    m_count->setText(shown == all ? displayCounted(all, "run") : tr("%1 of %2 runs").arg(shown).arg(all));
}

} // namespace trainyard
