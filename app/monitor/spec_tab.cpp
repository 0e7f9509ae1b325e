#include "app/monitor/spec_tab.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>

#include "app/base/display_text.h"
#include "app/base/field_label.h"
#include "app/base/theme.h"
#include "app/history/model/run_comparison.h"
#include "app/runs/open_run.h"
#include "app/runs/run_database.h"
#include "app/runs/run_store.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"

namespace trainyard {

namespace {

constexpr int kMaxOffered = 200; ///< of the newest runs, to be compared with

enum View { TextPage = 0, TablePage = 1, AnswerPage = 2 };

} // namespace

SpecTab::SpecTab(RunStore& store, QWidget* parent)
    : QWidget(parent)
    , m_store(store)
    , m_path(new ElidedLabel("muted", Qt::ElideMiddle, this))
    , m_other(new ChoiceBox(this))
    , m_text(new QPlainTextEdit)
    , m_answer(makeParagraph({}, "muted"))
    , m_pages(new QStackedWidget(this))
{
    m_text->setReadOnly(true);
    m_text->document()->setDocumentMargin(metrics::kGap);
    m_text->setAccessibleName(tr("Specification"));
    setRole(m_text, "mono");
    m_other->setAccessibleName(tr("Compare with"));
    m_other->setToolTip(tr("Shows the fields in which this run differs from another"));
    m_other->setMinimumWidth(200);
    m_answer->setAlignment(Qt::AlignCenter);
    auto* table = new TableView(tr("Differences"));
    table->setModel(&m_differences);
    connect(&m_differences, &QAbstractItemModel::modelReset, table,
            [table] { table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch); });
    auto* copy = makeButton(tr("Copy"), nullptr, this);
    copy->setToolTip(tr("Copies what is shown: the specification as JSON, or the differences as a table"));
    connect(copy, &QPushButton::clicked, this, [this] {
        const bool isTable = m_pages->currentIndex() == TablePage;
        QGuiApplication::clipboard()->setText(isTable ? m_differences.toText() : m_text->toPlainText());
    });
    connect(m_other, &QComboBox::activated, this, &SpecTab::compare);

    m_pages->addWidget(m_text);
    m_pages->addWidget(table);
    m_pages->addWidget(m_answer);
    auto* bar = rowLayout();
    bar->addWidget(m_path, 1);
    bar->addWidget(makeLabel(tr("Compare with"), "muted"));
    bar->addWidget(m_other);
    bar->addWidget(copy);
    auto* column = columnLayout(this, metrics::kGap, metrics::kTabMargins);
    column->addLayout(bar);
    column->addWidget(m_pages, 1);
}

void SpecTab::show(const OpenRun& run)
{
    if (m_text->toPlainText() != run.facts().specText)
        m_text->setPlainText(run.facts().specText);
    m_path->setFullText(run.facts().import ? tr("imported from %1").arg(oneLine(run.facts().import->source))
                                           : oneLine(run.facts().folder) + QStringLiteral("/spec.json"));
    if (m_run == &run)
        return;
    m_run = &run;
    offerRuns();
    compare();
}

/// Offers the newest other runs that have a specification.
void SpecTab::offerRuns()
{
    m_other->clear();
    m_other->addItem(tr("none"));
    for (const RunEntry& entry : m_store.history().runs()) {
        if (entry.id != m_run->id() && !entry.isArchived && !entry.spec.isEmpty())
            m_other->addItem(oneLine(entry.name) + QStringLiteral("  ·  ") + shortRunId(entry.id), entry.id);
        if (m_other->count() > kMaxOffered)
            break;
    }
    m_other->setEnabled(m_other->count() > 1 && m_run->facts().spec);
}

void SpecTab::compare()
{
    const QString other = m_other->currentData().toString();
    if (other.isEmpty() || !m_run)
        return m_pages->setCurrentIndex(TextPage);
    const auto run = m_store.open(other);
    m_differences.setTable(withFieldLabels(run.ok() ? specificationDifferences({m_run, *run}) : TextTable()));
    m_answer->setText(run.ok() ? tr("The specifications are equal.") : displayError(run.error()));
    m_pages->setCurrentIndex(m_differences.rowCount() > 0 ? TablePage : AnswerPage);
}

} // namespace trainyard
