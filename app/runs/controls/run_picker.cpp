#include "app/runs/controls/run_picker.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QPushButton>

#include "app/runs/controls/run_row_delegate.h"
#include "app/runs/controls/run_search_field.h"
#include "app/widgets/roles.h"

namespace trainyard {

RunPicker::RunPicker(RunListModel& model, QWidget* parent)
    : QFrame(parent)
    , m_search(new RunSearchField(m_model, this))
    , m_count(makeLabel({}, "small", this))
    , m_list(makeRunList(m_model, tr("Runs to choose from"), this))
{
    setRole(this, "panel");
    m_model.setSourceModel(&model);
    auto* none = makeButton(tr("Clear selection"), "link", this);
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_count, 1);
    foot->addWidget(none);
    auto* column =
        columnLayout(this, metrics::kGap, {metrics::kGap, metrics::kGap, metrics::kGap, metrics::kHalf});
    column->addWidget(m_search);
    column->addWidget(m_search->problemLabel());
    column->addWidget(m_list, 1);
    column->addLayout(foot);

    connect(m_list, &QAbstractItemView::clicked, this, &RunPicker::toggle);
    connect(none, &QPushButton::clicked, this, [this] { m_model.setChosen({}); });
    connect(&m_model, &RunPickModel::chosenChanged, this, &RunPicker::showCount);
    connect(&m_model, &RunPickModel::chosenChanged, this, &RunPicker::chosenChanged);
    showCount();
}

void RunPicker::focusSearch()
{
    m_search->takeFocus();
}

void RunPicker::toggle(const QModelIndex& index)
{
    const bool ticked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    m_model.setData(index, int(ticked ? Qt::Unchecked : Qt::Checked), Qt::CheckStateRole);
}

void RunPicker::showCount()
{
    m_count->setText(tr("%1 selected").arg(m_model.chosen().size()));
}

} // namespace trainyard
