#include "app/designer/spec_form.h"

#include <utility>

#include <QApplication>
#include <QEvent>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/field_label.h"
#include "app/base/theme.h"
#include "app/designer/batch_row.h"
#include "app/designer/cluster_editor.h"
#include "app/designer/data_mix_editor.h"
#include "app/designer/data_set_button.h"
#include "app/designer/field_editor.h"
#include "app/designer/field_help.h"
#include "app/designer/fold_section.h"
#include "app/designer/phases_editor.h"
#include "app/designer/problem_text.h"
#include "app/designer/weights_chooser.h"
#include "app/plan/evaluation_summary.h"
#include "app/widgets/form_row.h"
#include "app/widgets/roles.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

constexpr int kHelpHeight = 68; ///< four lines

} // namespace

SpecForm::SpecForm(const Parts& parts, QWidget* parent)
    : QFrame(parent)
    , m_document(parts.document)
    , m_dataSets(parts.dataSets)
    , m_batch(new BatchRow(parts.document))
    , m_cluster(new ClusterEditor(parts.document, parts.hosts, parts.hardware))
    , m_mix(new DataMixEditor(parts.document, parts.dataSets.list(), datasetOfRun()))
    , m_phases(new PhasesEditor(parts.document, parts.dataSets.list()))
    , m_hadPhases(!parts.document.spec().phases.empty())
    , m_chooser(new WeightsChooser(parts.document, parts.store, parts.runs, this))
    , m_weights(makeParagraph({}, "muted"))
    , m_evaluation(makeParagraph({}, "muted"))
    , m_help(makeHelp())
{
    setRole(this, "panel");
    auto* content = new QWidget;
    setRole(content, "form");
    auto* column = columnLayout(content, metrics::kHalf, metrics::kPanelMargins);
    const auto sections = specSections();
    addSection(column, sections[0]);
    addPhases(column);
    addFoldSection(column, tr("Hosts"), false).rows->addWidget(m_cluster);
    const FoldSection batch = addFoldSection(column, tr("Batch, in sequences"), false);
    batch.rows->addWidget(m_batch);
    for (const SpecField& field : batchFields())
        addField(batch, field);
    for (std::size_t i = 1; i < sections.size(); ++i)
        addSection(column, sections[i]);
    column->addStretch(1);

    m_scroll = verticalScroll(content);
    auto* outer = columnLayout(this, 0, {1, 1, 1, 1});
    outer->addWidget(m_scroll, 1);
    outer->addWidget(makeSeparator());
    outer->addWidget(m_help);
    connect(&m_document, &SpecDocument::changed, this, &SpecForm::showDiagnostics);
    connect(&m_document, &SpecDocument::changed, this, &SpecForm::showEvaluation);
    connect(&m_document, &SpecDocument::changed, this, &SpecForm::showSteps);
    connect(&m_document, &SpecDocument::changed, this, &SpecForm::showMix);
    connect(m_mix, &DataMixEditor::helpWanted, this, &SpecForm::showHelp);
    connect(&m_dataSets.list(), &DataSetListModel::entriesChanged, this, &SpecForm::showEvaluation);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { onFocusChanged(now); });
    showDiagnostics();
    showEvaluation();
    showMix();
    showSteps();
    showWeights({}, false);
}

QLabel* SpecForm::makeHelp()
{
    auto* help = makeParagraph(tr("Point at a field to see its description."), "help");
    help->setTextFormat(Qt::RichText);
    help->setOpenExternalLinks(true);
    help->setTextInteractionFlags(Qt::TextBrowserInteraction);
    help->setFixedHeight(kHelpHeight);
    help->setContentsMargins(metrics::kPanelPadding, 0, metrics::kPanelPadding, 0);
    help->setAccessibleName(tr("Field help"));
    help->installEventFilter(this);
    return help;
}

void SpecForm::showHelp(const QString& help)
{
    m_help->setText(withPaperLinks(help));
}

void SpecForm::onFocusChanged(QWidget* now)
{
    if (!now || now == m_help || !isAncestorOf(now))
        return;
    if (const QString help = fieldHelp(now); !help.isEmpty()) {
        m_focusHelp = help;
        showHelp(help);
    }
}

/// Shows the help of the focused field again when the pointer enters it: on its way to a link it may have
/// crossed other fields.
bool SpecForm::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_help && event->type() == QEvent::Enter && !m_focusHelp.isEmpty())
        showHelp(m_focusHelp);
    return QFrame::eventFilter(watched, event);
}

QWidget* SpecForm::makeDataSetButton()
{
    auto* button = new DataSetButton(m_dataSets.list());
    connect(button, &DataSetButton::listed, this, &SpecForm::dataSetChosen);
    connect(button, &DataSetButton::folderChosen, this, &SpecForm::dataSetFolderChosen);
    return button;
}

void SpecForm::addPhases(QVBoxLayout* column)
{
    const FoldSection fold = addFoldSection(column, tr("Phases"), m_document.spec().phases.empty());
    fold.rows->addWidget(m_phases);
    connect(m_phases, &PhasesEditor::helpWanted, this, &SpecForm::showHelp);
    m_phasesHeading = fold.heading;
    connect(&m_document, &SpecDocument::changed, fold.heading, [this] {
        const bool had = std::exchange(m_hadPhases, !m_document.spec().phases.empty());
        if (m_hadPhases && !had)
            m_phasesHeading->setChecked(true);
    });
}

/// The run's steps are those of its phases. A file may say another number, which only the user can settle.
void SpecForm::showSteps()
{
    const RunSpec& spec = m_document.spec();
    const bool isSum = !spec.phases.empty() && spec.launch.steps == stepsOfPhases(spec);
    const BoundRow& steps = m_rows.at(QStringLiteral("launch.steps"));
    steps.editor->control()->setEnabled(!isSum);
    steps.row->setMuted(isSum);
    steps.editor->control()->setToolTip(isSum ? tr("The sum of the phases' steps")
                                              : wrappedToolTip(steps.editor->field().help()));
}

void SpecForm::addSection(QVBoxLayout* column, const SpecSection& section)
{
    const FoldSection fold = addFoldSection(column, section.title, section.advanced);
    for (const SpecField& field : section.fields)
        addField(fold, field);
    if (section.fields.front().path.startsWith(QLatin1String("evaluation.")))
        fold.rows->addWidget(m_evaluation);
    if (section.fields.front().path.startsWith(QLatin1String("init.")))
        fold.rows->addWidget(m_weights);
}

void SpecForm::addField(const FoldSection& fold, const SpecField& field)
{
    auto* editor = new FieldEditor(m_document, field, this);
    auto* row = new FormRow(field.label, editor->control(), field.help(), FormRow::Help::OnHover);
    explainField(editor->control(), field.label, field.help());
    if (field.path == QLatin1String("dataset.path"))
        row->addBeside(makeDataSetButton());
    else if (field.path == QLatin1String("init.path"))
        row->addBeside(m_chooser->pathButton());
    else if (field.path == QLatin1String("init.step"))
        row->addBeside(m_chooser->stepButton());
    m_rows[field.path] = {row, editor, fold.heading};
    fold.rows->addWidget(row);
    if (field.path == QLatin1String("dataset.path"))
        fold.rows->addWidget(m_mix);
    connect(row, &FormRow::helpWanted, this, &SpecForm::showHelp);
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

void SpecForm::showWeights(const QString& text, bool isBad)
{
    m_weights->setText(text);
    m_weights->setVisible(!text.isEmpty());
    setStyleProperty(m_weights, "role", isBad ? "error" : "muted");
}

void SpecForm::showFound(const Diagnostics& found)
{
    m_mix->showFound(found);
    m_phases->showFound(found);
}

void SpecForm::showMix()
{
    m_rows.at(QStringLiteral("dataset.path")).row->setVisible(!m_mix->isInPlaceOfPath());
}

void SpecForm::showEvaluation()
{
    const QString summary = evaluationSummary(m_document.spec(), m_dataSets.testRows(m_document.spec()));
    m_evaluation->setText(summary);
    m_evaluation->setVisible(!summary.isEmpty());
}

QWidget* SpecForm::controlOf(const QString& path)
{
    QWidget* mixed = m_mix->controlFor(path);
    if (const auto bound = m_rows.find(mixed ? QStringLiteral("dataset.path") : path);
        bound != m_rows.end()) {
        bound->second.heading->setChecked(true);
        return mixed ? mixed : bound->second.editor->control();
    }
    if (path.startsWith(QLatin1String("phases"))) {
        m_phasesHeading->setChecked(true);
        return m_phases->controlFor(path);
    }
    if (QWidget* exact = findChild<QWidget*>(path))
        return exact;
    if (path.startsWith(QLatin1String("layout")) || path.startsWith(QLatin1String("batch")))
        return m_batch->controlOf(QStringLiteral("layout.data"));
    return m_cluster;
}

void SpecForm::focusField(const QString& path)
{
    QWidget* control = controlOf(path);
    control->setFocus(Qt::OtherFocusReason);
    // Queued, because a section that was just unfolded has its position only after the layout.
    QTimer::singleShot(0, control, [this, control] { m_scroll->ensureWidgetVisible(control); });
}

} // namespace trainyard
