#include "app/designer/spec_form.h"

#include <QScrollArea>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/designer/batch_row.h"
#include "app/designer/cluster_editor.h"
#include "app/designer/field_editor.h"
#include "app/models/theme.h"
#include "app/widgets/form_row.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kHelpHeight = 40;

QString sentenceOf(const Diagnostic& problem)
{
    return QString::fromStdString(problem.hint.empty() ? problem.message
                                                       : problem.message + " — " + problem.hint);
}

} // namespace

SpecForm::SpecForm(SpecDocument& document, HostListModel& hosts, const HardwareLibrary& hardware,
                   QWidget* parent)
    : QFrame(parent)
    , m_document(document)
    , m_batch(new BatchRow(document))
    , m_cluster(new ClusterEditor(document, hosts, hardware))
    , m_help(makeLabel(tr("Point at a field to see what it means."), "help"))
    , m_scroll(new QScrollArea)
{
    setRole(this, "panel");
    auto* content = new QWidget;
    setRole(content, "form");
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding,
                               metrics::kPanelPadding);
    column->setSpacing(metrics::kHalf);
    const auto sections = specSections();
    addSection(column, sections[0]);
    addHeading(column, tr("Hosts"), false).rows->addWidget(m_cluster);
    const Fold batch = addHeading(column, tr("Batch, in sequences"), false);
    batch.rows->addWidget(m_batch);
    for (const SpecField& field : batchFields())
        addField(batch, field);
    for (std::size_t i = 1; i < sections.size(); ++i)
        addSection(column, sections[i]);
    column->addStretch(1);

    m_scroll->setWidget(content);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_help->setWordWrap(true);
    m_help->setFixedHeight(kHelpHeight);
    m_help->setContentsMargins(metrics::kPanelPadding, 0, metrics::kPanelPadding, 0);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(1, 1, 1, 1);
    outer->setSpacing(0);
    outer->addWidget(m_scroll, 1);
    outer->addWidget(makeSeparator());
    outer->addWidget(m_help);
    connect(&m_document, &SpecDocument::changed, this, &SpecForm::showDiagnostics);
    showDiagnostics();
}

SpecForm::Fold SpecForm::addHeading(QVBoxLayout* column, const QString& title, bool folded)
{
    auto* heading = new QToolButton;
    setRole(heading, "fold");
    heading->setText(title);
    heading->setAccessibleName(title);
    heading->setCheckable(true);
    heading->setChecked(!folded);
    heading->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
    heading->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    auto* body = new QWidget;
    auto* rows = new QVBoxLayout(body);
    rows->setContentsMargins(0, 0, 0, metrics::kGap);
    rows->setSpacing(metrics::kHalf);
    body->setVisible(!folded);
    connect(heading, &QToolButton::toggled, body, [heading, body](bool open) {
        body->setVisible(open);
        heading->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    });
    column->addWidget(heading);
    column->addWidget(body);
    return {heading, rows};
}

void SpecForm::addSection(QVBoxLayout* column, const SpecSection& section)
{
    const Fold fold = addHeading(column, section.title, section.advanced);
    for (const SpecField& field : section.fields)
        addField(fold, field);
}

void SpecForm::addField(const Fold& fold, const SpecField& field)
{
    auto* editor = new FieldEditor(m_document, field, this);
    auto* row = new FormRow(field.label, editor->control(), field.help, FormRow::Help::OnHover);
    m_rows[field.path] = {row, editor, fold.heading};
    fold.rows->addWidget(row);
    connect(row, &FormRow::helpWanted, m_help, &QLabel::setText);
    connect(editor, &FieldEditor::problemChanged, this, &SpecForm::showDiagnostics);
}

QString SpecForm::sentenceFor(const QStringList& prefixes) const
{
    for (const Diagnostic& problem : m_document.diagnostics()) {
        const QString path = QString::fromStdString(problem.path);
        if (m_rows.contains(path) && !prefixes.contains(path))
            continue;
        for (const QString& prefix : prefixes) {
            if (path == prefix || path.startsWith(prefix + QLatin1Char('.')) ||
                path.startsWith(prefix + QLatin1Char('[')))
                return sentenceOf(problem);
        }
    }
    return {};
}

void SpecForm::showDiagnostics()
{
    for (const auto& [path, bound] : m_rows)
        bound.row->setError(bound.editor->problem().isEmpty() ? sentenceFor({path})
                                                              : bound.editor->problem());
    m_batch->setError(sentenceFor({QStringLiteral("batch"), QStringLiteral("layout")}));
    m_cluster->setError(sentenceFor({QStringLiteral("cluster")}));
}

void SpecForm::focusField(const QString& path)
{
    QWidget* control = nullptr;
    if (const auto bound = m_rows.find(path); bound != m_rows.end()) {
        bound->second.heading->setChecked(true);
        control = bound->second.editor->control();
    } else if (QWidget* exact = findChild<QWidget*>(path))
        control = exact;
    else if (path.startsWith(QLatin1String("layout")) || path.startsWith(QLatin1String("batch")))
        control = m_batch->controlOf(QStringLiteral("layout.data"));
    else
        control = m_cluster;
    control->setFocus(Qt::OtherFocusReason);
    // A section that was just unfolded has its place once the layout has seen to it.
    QTimer::singleShot(0, control, [this, control] { m_scroll->ensureWidgetVisible(control); });
}

} // namespace trainyard
