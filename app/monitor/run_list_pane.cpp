#include "app/monitor/run_list_pane.h"

#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QVBoxLayout>

#include "app/models/run_list_model.h"
#include "app/widgets/roles.h"
#include "app/widgets/run_row_delegate.h"
#include "app/widgets/symbol_icon.h"

namespace trainyard {

RunListPane::RunListPane(RunListModel& model, QWidget* parent)
    : QFrame(parent)
    , m_model(model)
    , m_search(new QLineEdit(this))
    , m_count(makeLabel({}, "small", this))
    , m_list(new QListView(this))
{
    setRole(this, "panel");
    m_filter.setSourceModel(&model);
    m_search->setPlaceholderText(tr("Search name, host, state, tag"));
    m_search->setAccessibleName(tr("Search runs"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(symbolIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_list->setModel(&m_filter);
    m_list->setItemDelegate(new RunRowDelegate(m_list));
    m_list->setAccessibleName(tr("Runs"));
    m_list->setUniformItemSizes(true);
    m_list->setMouseTracking(true);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setFrameShape(QFrame::NoFrame);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kGap, metrics::kGap, metrics::kGap, metrics::kHalf);
    column->setSpacing(metrics::kGap);
    column->addWidget(m_search);
    column->addWidget(m_list, 1);
    column->addWidget(m_count);

    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filter.setSearch(text);
        showCount();
    });
    connect(m_search, &QLineEdit::returnPressed, m_list, qOverload<>(&QWidget::setFocus));
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this] { emit currentRunChanged(currentRun()); });
    // The filter loses its rows before the model does; its own signal would come too early to count both.
    connect(&m_filter, &QAbstractItemModel::rowsInserted, this, &RunListPane::showCount);
    connect(&model, &QAbstractItemModel::rowsRemoved, this, &RunListPane::showCount);
    showCount();
}

QString RunListPane::currentRun() const
{
    const QModelIndex current = m_list->currentIndex();
    return current.isValid() ? current.data(RunListModel::EntryRole).value<RunEntry>().id : QString();
}

void RunListPane::select(const QString& runId)
{
    const QModelIndex at = m_filter.mapFromSource(m_model.indexOf(runId));
    m_list->setCurrentIndex(at);
    m_list->scrollTo(at);
}

void RunListPane::focusSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void RunListPane::focusList()
{
    m_list->setFocus();
}

void RunListPane::showCount()
{
    const int shown = m_filter.rowCount();
    const int all = m_model.rowCount();
    m_count->setText(shown == all ? tr("%n run(s)", nullptr, all).replace("(s)", all == 1 ? "" : "s")
                                  : tr("%1 of %2 runs").arg(shown).arg(all));
}

} // namespace trainyard
