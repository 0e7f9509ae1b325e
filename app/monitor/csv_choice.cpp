#include "app/monitor/csv_choice.h"

#include <QComboBox>
#include <QFormLayout>
#include <QListWidget>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kListHeight = 120;

QComboBox* makeChoice(const QString& name, const QString& help, const QString& none, const CsvTable& table,
                      const QString& chosen)
{
    auto* choice = new ChoiceBox;
    choice->setAccessibleName(name);
    choice->setToolTip(help);
    choice->addItem(none, QString());
    for (const CsvColumn& column : table.columns) {
        if (!column.cells.empty())
            choice->addItem(oneLine(column.name), column.name);
    }
    choice->setCurrentIndex(std::max(0, choice->findData(chosen)));
    return choice;
}

QListWidget* makeList(const CsvTable& table, const QStringList& ticked)
{
    auto* list = new QListWidget;
    list->setAccessibleName(QObject::tr("Series"));
    list->setToolTip(QObject::tr("Columns to import as series; Space ticks one"));
    list->setMaximumHeight(kListHeight);
    for (const CsvColumn& column : table.columns) {
        if (column.cells.empty())
            continue;
        auto* item = new QListWidgetItem(
            QStringLiteral("%1  ·  %2")
                .arg(oneLine(column.name), displayCounted(qint64(column.cells.size()), "value")),
            list);
        item->setData(Qt::UserRole, column.name);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(ticked.contains(column.name) ? Qt::Checked : Qt::Unchecked);
    }
    return list;
}

} // namespace

CsvChoice::CsvChoice(const CsvTable& table, QWidget* parent) : QWidget(parent)
{
    const CsvColumns guessed = guessColumns(table);
    m_step =
        makeChoice(tr("Steps"), tr("Column with the step numbers"), tr("row number"), table, guessed.step);
    m_time = makeChoice(tr("Times"), tr("Column with dates, or seconds since 1970"), tr("none"), table,
                        guessed.time);
    m_series = makeList(table, guessed.series);
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(metrics::kGap);
    form->addRow(makeLabel(tr("Steps"), "muted"), m_step);
    form->addRow(makeLabel(tr("Times"), "muted"), m_time);
    form->addRow(makeLabel(tr("Series"), "muted"), m_series);
    connect(m_step, &QComboBox::activated, this, &CsvChoice::changed);
    connect(m_time, &QComboBox::activated, this, &CsvChoice::changed);
    connect(m_series, &QListWidget::itemChanged, this, &CsvChoice::changed);
}

CsvColumns CsvChoice::columns() const
{
    CsvColumns columns{m_step->currentData().toString(), m_time->currentData().toString(), {}};
    for (int row = 0; row < m_series->count(); ++row) {
        const QListWidgetItem* item = m_series->item(row);
        const QString name = item->data(Qt::UserRole).toString();
        if (item->checkState() == Qt::Checked && name != columns.step && name != columns.time)
            columns.series.append(name);
    }
    return columns;
}

} // namespace trainyard
