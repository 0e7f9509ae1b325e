#include "app/designer/batch_row.h"

#include <limits>

#include <QGridLayout>

#include "app/base/theme.h"
#include "app/designer/field_editor.h"
#include "app/designer/field_help.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"

namespace trainyard {

BatchRow::BatchRow(SpecDocument& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_error(makeParagraph({}, "error"))
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(metrics::kHalf + 2);
    grid->setVerticalSpacing(2);
    addTerm(grid, 0, BatchTerm::Micro, specField("batch.micro"));
    grid->addWidget(makeLabel(QStringLiteral("×"), "muted"), 1, 1);
    addTerm(grid, 2, BatchTerm::Accumulation, specField("batch.accumulation"));
    grid->addWidget(makeLabel(QStringLiteral("×"), "muted"), 1, 3);
    addTerm(grid, 4, BatchTerm::Data, specField("layout.data"));
    grid->addWidget(makeLabel(QStringLiteral("="), "muted"), 1, 5);
    SpecField global = specField("batch.global");
    global.effect += tr("; changing it adjusts accumulation");
    addTerm(grid, 6, BatchTerm::Global, global);
    m_error->hide();
    grid->addWidget(m_error, 2, 0, 1, 7);
    connect(&m_document, &SpecDocument::changed, this, &BatchRow::refresh);
    refresh();
}

void BatchRow::addTerm(QGridLayout* grid, int column, BatchTerm term, const SpecField& field)
{
    auto* box = new NumberBox(0, std::numeric_limits<int>::max());
    box->setButtonSymbols(QAbstractSpinBox::NoButtons); // four terms in one row; the arrow keys work
    box->setAlignment(Qt::AlignRight);
    box->setMinimumWidth(64);
    box->setObjectName(field.path);
    explainField(box, field.label, field.help());
    box->installEventFilter(this);
    m_terms[term] = box;
    grid->addWidget(makeLabel(field.label, "small"), 0, column);
    grid->addWidget(box, 1, column);
    grid->setColumnStretch(column, 1);
    connect(box, &QSpinBox::valueChanged, this,
            [this, term, label = field.label, path = field.path](int value) {
                m_document.edit(label, path, [&](RunSpec& spec) { setBatchTerm(spec, term, value); });
            });
}

void BatchRow::refresh()
{
    for (const auto& [term, box] : m_terms)
        box->showValue(batchTerm(m_document.spec(), term));
}

void BatchRow::setError(const QString& sentence)
{
    m_error->setText(sentence);
    m_error->setVisible(!sentence.isEmpty());
    setStyleProperty(m_terms[BatchTerm::Global], "invalid", !sentence.isEmpty());
}

QWidget* BatchRow::controlOf(const QString& path) const
{
    for (const auto& [term, box] : m_terms) {
        if (box->objectName() == path)
            return box;
    }
    return nullptr;
}

bool BatchRow::eventFilter(QObject* watched, QEvent* event)
{
    return filterDocumentKeys(m_document, event) || QWidget::eventFilter(watched, event);
}

} // namespace trainyard
