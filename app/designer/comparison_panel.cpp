#include "app/designer/comparison_panel.h"

#include <QHeaderView>
#include <QPointer>
#include <QStackedWidget>

#include "app/base/field_label.h"
#include "app/base/theme.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"

namespace trainyard {

namespace {

enum View { MetricsPage, FieldsPage, EmptyPage };

constexpr int kLagMs = 40;

/// Undo step for keeping another design.
class KeepDesign : public QUndoCommand {
public:
    KeepDesign(ComparisonPanel& panel, PlannedDesign design)
        : m_panel(&panel), m_before(panel.kept()), m_after(std::move(design))
    {
    }

    void undo() override { keep(m_before); }
    void redo() override { keep(m_after); }

private:
    void keep(const std::optional<PlannedDesign>& design)
    {
        if (m_panel)
            m_panel->setKept(design);
    }

    QPointer<ComparisonPanel> m_panel; ///< the document may outlive it
    std::optional<PlannedDesign> m_before;
    std::optional<PlannedDesign> m_after;
};

/// Makes a table whose numbers have the width they need; names get the rest.
TableView* makeTable(const QString& name, TextTableModel& model)
{
    auto* table = new TableView(name);
    table->setModel(&model);
    table->horizontalHeader()->setStretchLastSection(false);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    QObject::connect(&model, &QAbstractItemModel::modelReset, table, [table] {
        if (table->model()->columnCount() > 0)
            table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    });
    return table;
}

QLabel* makeEmpty()
{
    auto* label = makeParagraph(
        ComparisonPanel::tr(
            "Save this design for comparison, continue editing, and every metric shows the change."),
        "muted");
    label->setAlignment(Qt::AlignCenter);
    return label;
}

} // namespace

ComparisonPanel::ComparisonPanel(SpecDocument& document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_table(new ChoiceBox)
    , m_keep(makeButton({}))
    , m_swap(makeButton(tr("S&wap")))
    , m_clear(makeButton(tr("Clea&r")))
    , m_pages(new QStackedWidget)
{
    m_pages->insertWidget(MetricsPage, makeTable(tr("Metrics of both designs"), m_metrics));
    m_pages->insertWidget(FieldsPage, makeTable(tr("Fields that differ"), m_fields));
    m_pages->insertWidget(EmptyPage, makeEmpty());
    auto* column = columnLayout(this, metrics::kHalf, {0, metrics::kHalf, 0, 0});
    column->addWidget(makeHead());
    column->addWidget(m_pages, 1);
    m_due.setSingleShot(true);
    m_due.setInterval(kLagMs);
    connect(&m_due, &QTimer::timeout, this, &ComparisonPanel::showTables);
    showTables();
}

QWidget* ComparisonPanel::makeHead()
{
    m_table->setAccessibleName(tr("Compare by"));
    m_table->setToolTip(tr("Planned metrics of both designs, or the fields that differ"));
    m_table->addItems({tr("metrics"), tr("fields")});
    m_keep->setToolTip(tr("Compare further edits with the current design"));
    m_clear->setAccessibleName(tr("Clear comparison"));
    m_clear->setToolTip(tr("Stop comparing"));
    m_swap->setAccessibleName(tr("Swap designs"));
    m_swap->setToolTip(
        tr("Edit the design saved for comparison and save the current one instead; one Undo step"));
    auto* head = new QWidget;
    auto* row = rowLayout(head, -1);
    row->addWidget(m_table);
    row->addStretch(1);
    for (QPushButton* button : {m_keep, m_swap, m_clear})
        row->addWidget(button);
    connect(m_table, &QComboBox::currentIndexChanged, this, &ComparisonPanel::showTables);
    connect(m_keep, &QPushButton::clicked, this, &ComparisonPanel::keepPresent);
    connect(m_swap, &QPushButton::clicked, this, &ComparisonPanel::swap);
    connect(m_clear, &QPushButton::clicked, this, [this] { setKept({}); });
    return head;
}

void ComparisonPanel::setPresent(const PlannedDesign& design)
{
    m_present = design;
    if (m_kept && isVisible())
        m_due.start();
}

void ComparisonPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    showTables();
}

void ComparisonPanel::keepPresent()
{
    setKept(m_present);
}

void ComparisonPanel::setKept(std::optional<PlannedDesign> design)
{
    m_kept = std::move(design);
    showTables();
    emit keptChanged();
}

void ComparisonPanel::setKeptEfficiency(double efficiency)
{
    if (!m_kept)
        return;
    m_kept->efficiency = efficiency;
    m_due.start();
}

void ComparisonPanel::swap()
{
    const RunSpec spec = m_kept->run();
    m_document.closeEdit();
    m_document.undoStack().beginMacro(tr("Other design"));
    m_document.undoStack().push(new KeepDesign(*this, m_present));
    m_document.edit(tr("Other design"), {}, [&spec](RunSpec& present) { present = spec; });
    m_document.undoStack().endMacro();
    m_document.closeEdit();
}

void ComparisonPanel::showTables()
{
    for (QWidget* widget : std::initializer_list<QWidget*>{m_table, m_swap, m_clear})
        widget->setVisible(m_kept.has_value());
    m_keep->setText(m_kept ? tr("Save th&is") : tr("Save for compar&ison"));
    m_keep->setAccessibleName(m_kept ? tr("Save this design") : tr("Save for comparison"));
    m_pages->setCurrentIndex(m_kept ? m_table->currentIndex() : static_cast<int>(EmptyPage));
    if (!m_kept)
        return;
    m_metrics.setTable(comparedMetrics(*m_kept, m_present));
    m_fields.setTable(withFieldLabels(comparedFields(m_kept->run(), m_present.run())));
}

} // namespace trainyard
