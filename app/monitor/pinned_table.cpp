#include "app/monitor/pinned_table.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QUndoStack>

#include "app/base/theme.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"
#include "engine/base/file.h"

namespace trainyard {

namespace {
constexpr int kHeight = 176;
}

/// The change is already made when the command is pushed.
class PinnedTable::Change : public QUndoCommand {
public:
    Change(PinnedTable& table, PinnedValues::Content before)
        : QUndoCommand(PinnedTable::tr("pinned values"))
        , m_table(table)
        , m_subject(table.m_subject)
        , m_before(std::move(before))
        , m_after(table.m_values.content())
    {
    }
    void undo() override { restore(m_before); }
    void redo() override
    {
        if (m_done)
            restore(m_after);
        m_done = true;
    }

private:
    /// Restores only the axis if the pins belong to another run.
    void restore(const PinnedValues::Content& content)
    {
        if (m_subject == m_table.m_subject)
            m_table.m_values.setContent(content);
        else if (content.positionTitle != m_table.m_values.content().positionTitle)
            m_table.m_values.setContent({.positionTitle = content.positionTitle, .series = {}, .rows = {}});
    }

    PinnedTable& m_table;
    QString m_subject;
    PinnedValues::Content m_before;
    PinnedValues::Content m_after;
    bool m_done = false;
};

PinnedTable::PinnedTable(QUndoStack& undo, QWidget* parent)
    : QFrame(parent)
    , m_undo(undo)
    , m_sorted(new QSortFilterProxyModel(this))
    , m_view(new TableView(tr("Pinned values"), this))
{
    setProperty("role", "panel");
    m_sorted->setSourceModel(&m_values);
    m_sorted->setSortRole(PinnedValues::kSortRole);
    m_view->setModel(m_sorted);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(0, Qt::AscendingOrder);
    buildLayout();
    for (const auto& [key, slot] : {std::pair{QKeySequence(QKeySequence::Copy), &PinnedTable::copy},
                                    std::pair{QKeySequence(Qt::Key_Delete), &PinnedTable::removeSelected}}) {
        auto* shortcut = new QShortcut(key, this, this, slot);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
    }
    connect(&m_values, &QAbstractItemModel::rowsInserted, this, &PinnedTable::updateVisible);
    connect(&m_values, &QAbstractItemModel::rowsRemoved, this, &PinnedTable::updateVisible);
    connect(&m_values, &QAbstractItemModel::modelReset, this, &PinnedTable::updateVisible);
    updateVisible();
}

void PinnedTable::buildLayout()
{
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("Pinned values"), "heading"), 1);
    const auto add = [&](const QString& text, const QString& tip, auto slot) {
        auto* button = makeButton(text, "link", this);
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, slot);
        head->addWidget(button);
    };
    add(tr("Copy"), tr("Copies the selected rows, or all, for a spreadsheet (Ctrl+C)"), &PinnedTable::copy);
    add(tr("Save…"), tr("Saves all rows as CSV, in full precision"), &PinnedTable::save);
    add(tr("Clear"), tr("Removes all pins (Delete: the selected ones)"), &PinnedTable::clear);
    auto* column = columnLayout(this, metrics::kHalf,
                                {metrics::kPanelPadding, metrics::kGap, metrics::kGap, metrics::kGap});
    column->addLayout(head);
    column->addWidget(m_view, 1);
    setFixedHeight(kHeight);
}

void PinnedTable::startOver(const QString& subject)
{
    m_subject = subject;
    m_values.setContent({.positionTitle = m_values.content().positionTitle, .series = {}, .rows = {}});
}

void PinnedTable::countBy(const QString& positionTitle)
{
    edit([&] { m_values.setContent({.positionTitle = positionTitle, .series = {}, .rows = {}}); });
}

void PinnedTable::pin(double position, const QString& positionText, const QList<PinnedValue>& values)
{
    edit([&] { m_values.pin(position, positionText, values); });
}

void PinnedTable::clear()
{
    countBy(m_values.content().positionTitle);
}

void PinnedTable::edit(const std::function<void()>& change)
{
    PinnedValues::Content before = m_values.content();
    change();
    m_undo.push(new Change(*this, std::move(before)));
}

void PinnedTable::updateVisible()
{
    setVisible(m_values.rowCount() > 0);
    m_view->resizeColumnsToContents();
}

QString PinnedTable::shownText() const
{
    QStringList titles;
    for (int column = 0; column < m_sorted->columnCount(); ++column)
        titles.append(m_sorted->headerData(column, Qt::Horizontal).toString());
    QStringList lines{titles.join(QLatin1Char('\t'))};
    const QItemSelectionModel& selection = *m_view->selectionModel();
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        if (selection.hasSelection() && !selection.isRowSelected(row))
            continue;
        QStringList cells;
        for (int column = 0; column < m_sorted->columnCount(); ++column)
            cells.append(m_sorted->index(row, column).data(Qt::ToolTipRole).toString());
        lines.append(cells.join(QLatin1Char('\t')));
    }
    return lines.join(QLatin1Char('\n'));
}

void PinnedTable::copy()
{
    QGuiApplication::clipboard()->setText(shownText());
}

void PinnedTable::removeSelected()
{
    QList<int> rows;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows())
        rows.append(m_sorted->mapToSource(index).row());
    if (!rows.isEmpty())
        edit([&] { m_values.remove(rows); });
}

void PinnedTable::save()
{
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Save pinned values"), QStringLiteral("pinned-values.csv"), tr("CSV table (*.csv)"));
    if (file.isEmpty())
        return;
    const Status status = writeFileAtomically(file.toStdString(), m_values.toCsv().toStdString());
    if (status.ok())
        emit saved(file);
    else
        emit saveFailed(status.error());
}

} // namespace trainyard
