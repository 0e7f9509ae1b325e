#include "app/designer/phases_editor.h"

#include <algorithm>

#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/phase_label.h"
#include "app/base/theme.h"
#include "app/designer/phase_form.h"
#include "app/designer/phase_row_delegate.h"
#include "app/designer/problem_text.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"
#include "app/workspace/tab_order.h"
#include "engine/spec/limits.h"
#include "engine/spec/phases/phase_edits.h"
#include "engine/spec/recipes.h"

namespace trainyard {

namespace {

constexpr int kMaxShownPhases = 6; ///< rows of the list; further ones are scrolled to

/// The number of the phase in a path such as "phases[1].batch"; -1 without one.
int phaseIn(const QString& path)
{
    static const QRegularExpression pattern(QStringLiteral(R"(^phases\[(\d+)\])"));
    const auto match = pattern.match(path);
    return match.hasMatch() ? match.captured(1).toInt() : -1;
}

} // namespace

PhasesEditor::PhasesEditor(SpecDocument& document, const DataSetListModel& dataSets, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_dataSets(dataSets)
    , m_about(makeParagraph(tr("The run has one phase. Further ones can have another data set, batch, "
                               "optimizer, memory and evaluation settings."),
                            "muted"))
    , m_list(new TableView(tr("Phases")))
    , m_totals(makeParagraph({}, "muted"))
    , m_error(makeParagraph({}, "error"))
    , m_add(makeButton(tr("Add a phase"), "link"))
    , m_duplicate(makeTool(tr("Copy"), tr("Copy the phase"), tr("Insert a copy behind this phase")))
    , m_remove(makeTool(tr("Remove"), tr("Remove the phase"), tr("Remove this phase from the run")))
    , m_up(makeTool(QStringLiteral("↑"), tr("Move the phase up"), tr("Let this phase begin earlier")))
    , m_down(makeTool(QStringLiteral("↓"), tr("Move the phase down"), tr("Let this phase begin later")))
    , m_recipes(makeRecipes())
    , m_title(new ElidedLabel("heading"))
    , m_place(new QVBoxLayout)
{
    m_list->setModel(&m_model);
    m_list->setItemDelegate(new PhaseRowDelegate(m_list));
    m_list->horizontalHeader()->setStretchLastSection(false);
    m_list->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_place->setContentsMargins(0, 0, 0, 0);
    auto* column = columnLayout(this, metrics::kHalf);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{m_about, m_list, m_totals, m_error, makeButtons(), m_title})
        column->addWidget(widget);
    column->addLayout(m_place);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) { onRowChosen(row.row()); });
    connect(&m_document, &SpecDocument::changed, this, &PhasesEditor::follow);
    follow();
}

QToolButton* PhasesEditor::makeTool(const QString& text, const QString& name, const QString& tip)
{
    auto* tool = new QToolButton;
    setRole(tool, "button");
    tool->setText(text);
    tool->setAccessibleName(name);
    tool->setToolTip(tip);
    tool->setFixedHeight(metrics::kControlHeight);
    return tool;
}

QWidget* PhasesEditor::makeButtons()
{
    auto* bar = new QWidget;
    auto* lines = columnLayout(bar, metrics::kHalf);
    auto* line = rowLayout(nullptr, metrics::kHalf);
    line->addWidget(m_add);
    line->addStretch(1);
    for (QToolButton* tool : {m_duplicate, m_remove, m_up, m_down})
        line->addWidget(tool);
    lines->addLayout(line);
    lines->addWidget(m_recipes, 0, Qt::AlignLeft);
    connect(m_add, &QPushButton::clicked, this, &PhasesEditor::add);
    connect(m_duplicate, &QToolButton::clicked, this, &PhasesEditor::duplicate);
    connect(m_remove, &QToolButton::clicked, this, &PhasesEditor::remove);
    connect(m_up, &QToolButton::clicked, this, [this] { move(-1); });
    connect(m_down, &QToolButton::clicked, this, [this] { move(1); });
    return bar;
}

QPushButton* PhasesEditor::makeRecipes()
{
    auto* button = makeButton(tr("New from a recipe"), "link");
    auto* menu = new QMenu(button);
    button->setMenu(menu);
    button->setToolTip(tr("Replace this design by a published training; Undo brings it back"));
    for (const std::string& name : recipeNames()) {
        const auto recipe = recipeOf(name);
        auto* action = menu->addAction(QString::fromStdString(recipe->title));
        action->setToolTip(QString::fromStdString(recipe->source));
        connect(action, &QAction::triggered, this,
                [this, text = QString::fromStdString(name)] { emit recipeWanted(text); });
    }
    menu->setToolTipsVisible(true);
    return button;
}

int PhasesEditor::count() const
{
    return static_cast<int>(m_document.spec().phases.size());
}

void PhasesEditor::edit(const QString& what, int chosenAfter, const std::function<void(RunSpec&)>& change)
{
    m_chosen = chosenAfter; // the form follows the change
    m_document.editAtOnce(what, QStringLiteral("phases"), change);
}

void PhasesEditor::add()
{
    edit(tr("Add phase"), std::max(1, count()), addPhase);
    m_list->setFocus();
}

void PhasesEditor::duplicate()
{
    edit(tr("Copy phase"), m_chosen + 1, [phase = m_chosen](RunSpec& run) { duplicatePhase(run, phase); });
}

void PhasesEditor::remove()
{
    edit(tr("Remove phase"), std::clamp(m_chosen, 0, std::max(0, count() - 2)),
         [phase = m_chosen](RunSpec& run) { removePhase(run, phase); });
    if (count() == 0)
        m_add->setFocus(); // the button is disabled now
}

void PhasesEditor::move(int direction)
{
    edit(tr("Move phase"), m_chosen + direction,
         [phase = m_chosen, direction](RunSpec& run) { movePhase(run, phase, phase + direction); });
}

void PhasesEditor::choose(int phase)
{
    const int known = std::clamp(phase, 0, std::max(0, count() - 1));
    const bool isOther = known != m_chosen;
    m_chosen = known;
    follow();
    if (isOther)
        emit phaseChosen(m_chosen);
}

void PhasesEditor::onRowChosen(int row)
{
    if (row >= 0 && row != m_chosen)
        choose(row);
}

/// Undo may have removed the chosen phase.
void PhasesEditor::follow()
{
    m_chosen = std::clamp(m_chosen, 0, std::max(0, count() - 1));
    const bool hasPhases = count() > 0;
    m_about->setVisible(!hasPhases);
    m_list->setVisible(hasPhases);
    m_title->setVisible(hasPhases);
    m_title->setFullText(phaseTitle(m_document.spec(), m_chosen));
    showForm();
    showButtons();
    showProblems();
}

void PhasesEditor::showForm()
{
    const int wanted = count() > 0 ? m_chosen : -1;
    if (wanted == m_formOf)
        return;
    if (m_form) {
        m_place->removeWidget(m_form);
        m_form->hide();
        m_form->setObjectName(QString());
        m_form->deleteLater(); // one of its controls may be the sender
        m_form = nullptr;
    }
    m_formOf = wanted;
    if (wanted < 0)
        return;
    m_form = new PhaseForm(m_document, m_dataSets, wanted);
    m_form->showFound(m_found);
    m_place->addWidget(m_form);
    m_form->show(); // a layout shows it later, when a field was to get the focus
    connect(m_form, &PhaseForm::helpWanted, this, &PhasesEditor::helpWanted);
    reachAfter(*m_recipes, {m_form});
}

void PhasesEditor::showButtons()
{
    const bool hasPhases = count() > 0;
    for (QToolButton* tool : {m_duplicate, m_remove, m_up, m_down})
        tool->setVisible(hasPhases);
    m_up->setEnabled(m_chosen > 0);
    m_down->setEnabled(m_chosen + 1 < count());
    const bool mayAdd = count() < kMaxPhases;
    m_add->setEnabled(mayAdd);
    m_duplicate->setEnabled(mayAdd);
}

/// The first problem of a phase whose field the form does not show at the moment.
void PhasesEditor::showProblems()
{
    QString sentence;
    for (const Diagnostic& problem : m_document.diagnostics()) {
        const QString path = QString::fromStdString(problem.path);
        if (!path.startsWith(QLatin1String("phases")) || (m_form && m_form->hasField(path)))
            continue;
        const int phase = phaseIn(path);
        sentence =
            phase < 0 ? sentenceOf(problem) : tr("Phase %1: %2").arg(phase + 1).arg(sentenceOf(problem));
        break;
    }
    m_error->setText(sentence);
    m_error->setVisible(!sentence.isEmpty());
}

void PhasesEditor::showPlans(const PlannedPhases& phases)
{
    const bool hasPhases = count() > 0;
    m_model.setTable(hasPhases ? phaseTable(phases) : TextTable());
    if (hasPhases) {
        m_list->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
        m_list->setCurrentIndex(m_model.index(m_chosen, 0));
        m_list->selectRow(m_chosen);
    }
    m_totals->setText(phaseTotals(phases));
    m_totals->setVisible(hasPhases && phases.size() > 1);
    fitHeight();
}

void PhasesEditor::fitHeight()
{
    const bool isNamed = std::ranges::any_of(m_document.spec().phases,
                                             [](const PhaseSpec& phase) { return !phase.name.empty(); });
    const int height = isNamed ? PhaseRowDelegate::kTwoLines : TableView::kRowHeight;
    const int rows = std::clamp(m_model.rowCount(), 1, kMaxShownPhases);
    m_list->verticalHeader()->setDefaultSectionSize(height);
    m_list->setFixedHeight(m_list->horizontalHeader()->sizeHint().height() + rows * height + 2);
}

void PhasesEditor::showFound(const Diagnostics& found)
{
    m_found = found;
    if (m_form)
        m_form->showFound(m_found);
}

void PhasesEditor::setFacts(const QString& text)
{
    if (m_form)
        m_form->setFacts(text);
}

QWidget* PhasesEditor::controlFor(const QString& path)
{
    if (const int phase = phaseIn(path); phase >= 0 && phase < count()) {
        choose(phase);
        if (QWidget* control = m_form->controlFor(path))
            return control;
    }
    return count() > 0 ? static_cast<QWidget*>(m_list) : m_add;
}

} // namespace trainyard
