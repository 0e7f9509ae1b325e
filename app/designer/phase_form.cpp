#include "app/designer/phase_form.h"

#include <algorithm>

#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/field_label.h"
#include "app/base/theme.h"
#include "app/designer/data_mix_editor.h"
#include "app/designer/data_set_button.h"
#include "app/designer/field_editor.h"
#include "app/designer/field_help.h"
#include "app/designer/fold_section.h"
#include "app/designer/problem_text.h"
#include "app/widgets/form_row.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"
#include "engine/spec/phases/phase_edits.h"

namespace trainyard {

namespace {

constexpr int kMinFieldWidth = 120; ///< with the button next to it a row is as narrow as those of the run

} // namespace

PhaseForm::PhaseForm(SpecDocument& document, const DataSetListModel& dataSets, int phase, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_dataSets(dataSets)
    , m_phase(phase)
    , m_facts(makeParagraph({}, "muted"))
    , m_mix(new DataMixEditor(document, dataSets, datasetOfPhase(phase), this))
{
    auto* column = columnLayout(this, metrics::kHalf);
    m_facts->hide();
    for (const PhaseSection& section : phaseSections(phase)) {
        addSection(column, section);
        if (section.title.isEmpty())
            column->addWidget(m_facts);
    }
    connect(&m_document, &SpecDocument::changed, this, &PhaseForm::showInheritance);
    connect(&m_document, &SpecDocument::changed, this, &PhaseForm::showProblems);
    showInheritance();
    showProblems();
}

void PhaseForm::addSection(QVBoxLayout* column, const PhaseSection& section)
{
    if (section.title.isEmpty()) {
        for (const PhaseField& field : section.fields)
            addRow(column, field, nullptr);
        return;
    }
    const bool isUsed = std::ranges::any_of(section.fields, [this](const PhaseField& field) {
        return isOverridden(m_document.spec(), m_phase, field.inherited.toStdString());
    });
    const bool isFirst = m_headings.empty();
    const FoldSection fold = addFoldSection(column, section.title, !isUsed && !isFirst);
    fold.heading->setAccessibleName(tr("Phase %1: %2").arg(m_phase + 1).arg(section.title));
    m_headings.push_back({fold.heading, section.title});
    for (const PhaseField& field : section.fields)
        addRow(fold.rows, field, fold.heading);
}

void PhaseForm::addRow(QVBoxLayout* column, const PhaseField& field, QToolButton* heading)
{
    auto* editor = new FieldEditor(m_document, field.field, this);
    auto* row = new FormRow(field.field.label, editor->control(), field.field.help(), FormRow::Help::OnHover);
    editor->control()->setMinimumWidth(kMinFieldWidth);
    // The run has fields of the same names.
    explainField(editor->control(), fieldLabel(field.field.path), field.field.help());
    if (field.inherited == QLatin1String("dataset.path"))
        addDataSetButton(*row, field.field.path);
    QToolButton* inherit =
        field.inherited.isEmpty() ? nullptr : makeInherit(field.field.path, field.inherited);
    if (inherit)
        row->addBeside(inherit);
    m_rows.push_back({row, editor, field.inherited, inherit, heading});
    column->addWidget(row);
    connect(row, &FormRow::helpWanted, this, &PhaseForm::helpWanted);
    connect(editor, &FieldEditor::problemChanged, this, &PhaseForm::showProblems);
    if (field.inherited == QLatin1String("dataset.path"))
        addMix(column, heading);
}

void PhaseForm::addMix(QVBoxLayout* column, QToolButton* heading)
{
    m_mixHeading = heading;
    m_inheritMix =
        makeInherit(QStringLiteral("phases[%1].dataset.mix").arg(m_phase), QStringLiteral("dataset.mix"));
    m_mix->addBeside(m_inheritMix);
    column->addWidget(m_mix);
    connect(m_mix, &DataMixEditor::helpWanted, this, &PhaseForm::helpWanted);
}

void PhaseForm::addDataSetButton(FormRow& row, const QString& path)
{
    auto* button = new DataSetButton(m_dataSets);
    button->setAccessibleName(tr("Choose the data set of phase %1").arg(m_phase + 1));
    row.addBeside(button);
    connect(button, &DataSetButton::listed, this,
            [this, path](int entry) { setDataSet(path, m_dataSets.at(entry).folder); });
    connect(button, &DataSetButton::folderChosen, this,
            [this, path](const QString& folder) { setDataSet(path, folder); });
}

void PhaseForm::setDataSet(const QString& path, const QString& folder)
{
    const auto row =
        std::ranges::find(m_rows, path, [](const Row& each) { return each.editor->field().path; });
    m_document.editAtOnce(tr("Data set"), path, [&](RunSpec& run) { row->editor->field().set(run, folder); });
}

QToolButton* PhaseForm::makeInherit(const QString& path, const QString& inherited)
{
    auto* button = new QToolButton;
    button->setIcon(symbolIcon(QStringLiteral("undo")));
    button->setFixedSize(metrics::kControlHeight, metrics::kControlHeight);
    button->setAccessibleName(tr("Reset to the run's value: %1").arg(fieldLabel(path)));
    button->setToolTip(tr("Reset to the run's value"));
    QSizePolicy policy = button->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // fields keep their width
    button->setSizePolicy(policy);
    connect(button, &QToolButton::clicked, this, [this, path, inherited] { inherit(path, inherited); });
    return button;
}

void PhaseForm::inherit(const QString& path, const QString& inherited)
{
    if (QWidget* control = controlFor(path))
        control->setFocus(Qt::OtherFocusReason); // before its button disappears
    m_document.editAtOnce(tr("Reset to the run's value"), path, [&](RunSpec& run) {
        if (m_phase >= static_cast<int>(run.phases.size()))
            return;
        for (const QString& one : inheritedWith(inherited))
            inheritFromRun(run, m_phase, one.toStdString());
    });
}

bool PhaseForm::overridesMix() const
{
    return m_mix->isInPlaceOfPath() && isOverridden(m_document.spec(), m_phase, "dataset.mix");
}

int PhaseForm::overriddenIn(const QToolButton* heading) const
{
    const auto own = std::ranges::count_if(m_rows, [&](const Row& row) {
        return row.heading == heading && row.inherit && row.inherit->isVisibleTo(row.row);
    });
    return static_cast<int>(own) + (heading == m_mixHeading && overridesMix() ? 1 : 0);
}

void PhaseForm::showInheritance()
{
    const RunSpec& run = m_document.spec();
    if (m_phase >= static_cast<int>(run.phases.size()))
        return;
    for (const Row& row : m_rows) {
        if (!row.inherit)
            continue;
        const bool own = isOverridden(run, m_phase, row.inherited.toStdString());
        row.inherit->setVisible(own);
        row.row->setMuted(!own);
        if (row.inherited == QLatin1String("dataset.path"))
            row.row->setVisible(!m_mix->isInPlaceOfPath());
    }
    m_inheritMix->setVisible(overridesMix());
    m_mix->setMuted(!overridesMix());
    for (const Heading& heading : m_headings) {
        const int own = overriddenIn(heading.button);
        heading.button->setText(own == 0 ? tr("%1: as the run").arg(heading.title)
                                         : tr("%1: %2 changed").arg(heading.title).arg(own));
    }
}

void PhaseForm::showProblems()
{
    for (const Row& row : m_rows) {
        const QString& problem = row.editor->problem();
        row.row->setError(problem.isEmpty() ? problemAt(m_document.diagnostics(), row.editor->field().path)
                                            : problem);
    }
}

void PhaseForm::showFound(const Diagnostics& found)
{
    m_mix->showFound(found);
}

void PhaseForm::setFacts(const QString& text)
{
    m_facts->setText(text);
    m_facts->setVisible(!text.isEmpty());
}

bool PhaseForm::hasField(const QString& path) const
{
    return m_mix->hasField(path) ||
           std::ranges::any_of(m_rows, [&](const Row& row) { return row.editor->field().path == path; });
}

QWidget* PhaseForm::controlFor(const QString& path)
{
    if (QWidget* mixed = m_mix->controlFor(path)) {
        m_mixHeading->setChecked(true);
        return mixed;
    }
    const auto isAt = [&](const Row& row) {
        const QString& own = row.editor->field().path;
        return own == path || own.startsWith(path + QLatin1Char('.'));
    };
    const auto row = std::ranges::find_if(m_rows, isAt);
    if (row == m_rows.end())
        return nullptr;
    if (row->heading)
        row->heading->setChecked(true);
    return row->editor->control();
}

} // namespace trainyard
