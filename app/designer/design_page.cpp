#include "app/designer/design_page.h"

#include <algorithm>
#include <iterator>

#include <QAction>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QToolButton>

#include "app/base/display_text.h"
#include "app/base/phase_label.h"
#include "app/base/theme.h"
#include "app/designer/alternatives_panel.h"
#include "app/designer/cluster_panel.h"
#include "app/designer/launch_bar.h"
#include "app/designer/layer_panel.h"
#include "app/designer/memory_bars.h"
#include "app/designer/phases_editor.h"
#include "app/designer/plan_panels.h"
#include "app/designer/problem_text.h"
#include "app/designer/scaled_copies_bar.h"
#include "app/designer/settings_exchange.h"
#include "app/designer/spec_form.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"
#include "app/workspace/panel_area.h"
#include "engine/planner/explain/precision_remarks.h"
#include "engine/spec/names.h"
#include "engine/spec/phases/data_mix_rules.h"
#include "engine/spec/phases/phase_edits.h"
#include "engine/spec/phases/phase_rules.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/recipes.h"
#include "engine/spec/remarks.h"
#include "remote/launch/inventory.h"

namespace trainyard {

namespace {

// Side columns grow a little in a wide window; the pictures take the rest.
constexpr int kFormWidth = 416;
constexpr int kFormWidest = 544;
constexpr int kVerdictWidth = 304;
constexpr int kVerdictWidest = 400;
constexpr int kClusterShare = 3;         ///< of the height: cluster and memory
constexpr int kStepShare = 2;            ///< a step and what follows from it
constexpr int kVerdictHeight = 620;      ///< pixels: with the metrics and one finding, which scroll in less
constexpr int kAlternativesHeight = 252; ///< pixels: with one alternative and Apply
constexpr int kMinHeight = 400;          ///< pixels
constexpr int kExplainAfterMs = 200; ///< without an edit; settings that work are looked for by the thousand

QFrame* makeTitledPanel(const QString& title, QWidget* content)
{
    auto* panel = makePanel();
    auto* column = columnLayout(panel, metrics::kGap, metrics::kPanelMargins);
    column->addWidget(makeLabel(title, "heading"));
    column->addWidget(content);
    column->addStretch(1);
    return panel;
}

/// Arranges form, charts and verdict from left to right. A wide window shows all charts at once.
void arrange(PanelArea& area, PanelArea::SizeClass size)
{
    const bool wide = size == PanelArea::SizeClass::Wide;
    const auto panel = [&area](const char* id) { return area.panel(QLatin1String(id)); };
    area.addDockWidget(Qt::LeftDockWidgetArea, panel("form"));
    area.splitDockWidget(panel("form"), panel("cluster"), Qt::Horizontal);
    area.splitDockWidget(panel("cluster"), panel("verdict"), Qt::Horizontal);
    area.splitDockWidget(panel("verdict"), panel("alternatives"), Qt::Vertical);
    area.splitDockWidget(panel("cluster"), panel("pipeline"), Qt::Vertical);
    area.splitDockWidget(panel("cluster"), panel("memory"), wide ? Qt::Horizontal : Qt::Vertical);
    if (wide) {
        area.splitDockWidget(panel("cluster"), panel("model"), Qt::Horizontal);
        area.splitDockWidget(panel("pipeline"), panel("scaling"), Qt::Horizontal);
    } else {
        area.tabifyDockWidget(panel("pipeline"), panel("model"));
        area.tabifyDockWidget(panel("model"), panel("scaling"));
    }
    area.tabifyDockWidget(panel("scaling"), panel("learning-rate"));
    area.tabifyDockWidget(panel("learning-rate"), panel("comparison"));
    for (const QString& id : area.panelIds())
        area.panel(id)->show();
    panel(wide ? "scaling" : "pipeline")->raise();

    const int form = std::clamp(area.width() / 5, kFormWidth, kFormWidest);
    const int verdict = std::clamp(area.width() / 7, kVerdictWidth, kVerdictWidest);
    const int pictures = std::max(area.width() - form - verdict, form);
    area.resizeDocks({panel("form"), panel("cluster"), panel("verdict")}, {form, pictures, verdict},
                     Qt::Horizontal);
    const int height = std::max(area.height(), kMinHeight);
    const int alternatives = std::min(kAlternativesHeight, height * 2 / 5);
    const int answer = std::min(std::max(kVerdictHeight, height / 2), height - alternatives);
    area.resizeDocks({panel("verdict"), panel("alternatives")}, {answer, height - answer}, Qt::Vertical);
    const int top = height * kClusterShare / (kClusterShare + kStepShare);
    area.resizeDocks({panel("cluster"), panel("pipeline")}, {top, height - top}, Qt::Vertical);
    if (wide) {
        const int third = pictures / 3;
        area.resizeDocks({panel("cluster"), panel("model"), panel("memory")}, {third, third, third},
                         Qt::Horizontal);
        area.resizeDocks({panel("pipeline"), panel("scaling")}, {pictures / 2, pictures / 2}, Qt::Horizontal);
    } else {
        const int memory = std::min(panel("memory")->sizeHint().height(), top * 3 / 5);
        area.resizeDocks({panel("cluster"), panel("memory")}, {top - memory, memory}, Qt::Vertical);
    }
}

/// Returns the memory found by the host's last check, or that of this machine.
NodeMemory memoryFoundOn(const NodeSpec& node, const HostListModel& hosts)
{
    const int row = hosts.rowOf(QString::fromStdString(node.host));
    return row >= 0 && hosts.at(row).report ? memoryOf(hosts.at(row).report->facts, node) : memoryHere(node);
}

/// What the rows are labelled for is what the run learns; rows of text pre-train.
void useTaskOf(const DataSetEntry& entry, TaskSpec& task)
{
    const auto kind = enumFromName<TaskKind>(entry.objective).value_or(TaskKind::None);
    task.kind = kind;
    if (entry.labels > 0)
        task.labels = entry.labels;
}

QString specFilter()
{
    return DesignPage::tr("Specifications (*.json)");
}

} // namespace

DesignPage::DesignPage(const Parts& parts, QWidget* parent)
    : Page(tr("Design"), QStringLiteral("design"), parent)
    , m_document(parts.document)
    , m_hosts(parts.hosts)
    , m_known(parts.dataSets)
    , m_runs(parts.runs)
    , m_hardware(parts.hardware)
    , m_page(new PageFrame(title()))
    , m_launchBar(new LaunchBar)
    , m_copies(new ScaledCopiesBar(m_document))
    , m_form(new SpecForm({m_document, m_hosts, m_known, m_hardware, parts.store, m_runs}))
    , m_cluster(new ClusterPanel(m_document))
    , m_layer(new LayerPanel)
    , m_memory(new MemoryBars)
    , m_verdict(new VerdictPanel)
    , m_alternatives(new AlternativesPanel)
    , m_panels(new PanelArea(workspace()))
    , m_plan(new PlanPanels(m_document, *m_panels, this))
    , m_exchange(new SettingsExchange(m_document, *m_page->messageBar(), this))
{
    m_explainSoon.setSingleShot(true);
    m_explainSoon.setInterval(kExplainAfterMs);
    m_page->content()->setSpacing(metrics::kPanelPadding);
    m_page->content()->addWidget(m_launchBar);
    m_page->content()->addWidget(m_copies);
    m_page->content()->addWidget(m_panels, 1);
    auto* column = columnLayout(this, -1);
    column->addWidget(m_page);
    addPanels();
    addActions();

    connect(&m_document, &SpecDocument::changed, this, &DesignPage::refresh);
    connect(&m_document, &SpecDocument::fileChanged, this, &DesignPage::updateTitle);
    connect(&m_document.undoStack(), &QUndoStack::cleanChanged, this, &DesignPage::updateTitle);
    connect(&m_hosts, &QAbstractItemModel::dataChanged, this, &DesignPage::refresh);
    connect(m_form, &SpecForm::dataSetChosen, this, [this](int row) { useDataSet(m_known.list().at(row)); });
    connect(m_form, &SpecForm::dataSetFolderChosen, this, &DesignPage::useDataSetFolder);
    connect(&m_weights, &StartingWeights::changed, this, &DesignPage::refresh);
    connect(&m_form->phases(), &PhasesEditor::phaseChosen, this, &DesignPage::refresh);
    connect(&m_form->phases(), &PhasesEditor::recipeWanted, this, &DesignPage::applyRecipe);
    connect(m_verdict, &VerdictPanel::problemChosen, m_form, &SpecForm::focusField);
    connect(m_verdict, &VerdictPanel::remedyChosen, this, &DesignPage::apply);
    connect(&m_explainSoon, &QTimer::timeout, this, &DesignPage::explainProblems);
    connect(m_verdict, &VerdictPanel::launchRequested, this, &DesignPage::launch);
    connect(m_layer, &LayerPanel::saveFailed, m_page->messageBar(), &MessageBar::showError);
    connect(m_layer, &LayerPanel::saved, this, [this](const QString& file) {
        m_page->messageBar()->showMessage(MessageBar::Tone::Good, tr("Saved %1.").arg(file));
    });
    connect(m_copies, &ScaledCopiesBar::failed, m_page->messageBar(), &MessageBar::showError);
    connect(m_copies, &ScaledCopiesBar::written, this, [this](const QStringList& files) {
        m_page->messageBar()->showMessage(MessageBar::Tone::Good,
                                          tr("%1 copies were written.").arg(files.size()),
                                          files.join(QLatin1Char('\n')));
    });
    connectPlan();
    refresh();
    updateTitle();
}

void DesignPage::addPanels()
{
    using Heading = PanelArea::Heading;
    m_form->setMinimumWidth(kFormWidth);
    m_panels->addPanel(QStringLiteral("form"), tr("Specification"), m_form, Heading::Own,
                       PanelArea::Scrolling::Own);
    m_panels->addPanel(QStringLiteral("cluster"), tr("Cluster"), m_cluster, Heading::Own);
    m_panels->addPanel(QStringLiteral("model"), tr("Model"), m_layer, Heading::Own,
                       PanelArea::Scrolling::Own);
    m_panels->addPanel(QStringLiteral("memory"), tr("Memory"),
                       makeTitledPanel(tr("Memory per device, planned"), m_memory), Heading::Own);
    m_panels->addPanel(QStringLiteral("verdict"), tr("Verdict"), m_verdict, Heading::Own,
                       PanelArea::Scrolling::Own);
    m_panels->addPanel(QStringLiteral("alternatives"), tr("Alternatives"), m_alternatives, Heading::Own);
    m_panels->setFirstLayout(arrange);
    QWidget::addActions(m_panels->commands());
}

void DesignPage::connectPlan()
{
    connect(m_verdict, &VerdictPanel::keepRequested, m_plan, &PlanPanels::keepForComparison);
    connect(m_plan, &PlanPanels::efficiencyChanged, m_verdict, &VerdictPanel::setEfficiency);
    connect(m_plan, &PlanPanels::keptChanged, this, &DesignPage::showKept);
    connect(m_alternatives, &AlternativesPanel::chosen, this, &DesignPage::applyAlternative);
}

QAction* DesignPage::addDocumentAction(const QString& text, const QKeySequence& keys, const QString& icon,
                                       void (DesignPage::*slot)())
{
    auto* action = new QAction(text, this);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, slot);
    addAction(action);
    if (!icon.isEmpty()) {
        auto* button = new QToolButton;
        action->setIcon(symbolIcon(icon));
        button->setDefaultAction(action);
        button->setAccessibleName(text);
        button->setToolTip(QStringLiteral("%1 (%2)").arg(text, keys.toString(QKeySequence::NativeText)));
        button->setFixedSize(metrics::kControlHeight, metrics::kControlHeight);
        m_page->addAction(button);
    }
    return action;
}

QList<KeyHint> DesignPage::keyHints() const
{
    return {{QStringLiteral("D P T"), tr("Colour by data, pipeline or tensor group")},
            {tr("Arrows"), tr("Move between devices, or boxes of the model")},
            {QStringLiteral("+ - 0"), tr("Zoom the cluster in, out, to fit")},
            {tr("Alt+Arrows"), tr("Move a placement letter")}};
}

void DesignPage::addActions()
{
    auto* undo = addDocumentAction(tr("Undo"), QKeySequence::Undo, QStringLiteral("undo"), &DesignPage::undo);
    auto* redo = addDocumentAction(tr("Redo"), QKeySequence(Qt::CTRL | Qt::Key_Y), QStringLiteral("redo"),
                                   &DesignPage::redo);
    const QUndoStack& stack = m_document.undoStack();
    undo->setEnabled(stack.canUndo());
    redo->setEnabled(stack.canRedo());
    connect(&stack, &QUndoStack::canUndoChanged, undo, &QAction::setEnabled);
    connect(&stack, &QUndoStack::canRedoChanged, redo, &QAction::setEnabled);
    addWorkspaceActions(tr("View: undo"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Z), tr("View: redo"),
                        QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Y));
    m_page->addAction(m_panels->makeMenuButton());
    addDocumentAction(tr("Save as…"), QKeySequence::SaveAs, {}, &DesignPage::saveAs);

    auto* copies = makeButton(tr("Scaling study…"));
    auto* openButton = makeButton(tr("&Open…"));
    auto* saveButton = makeButton(tr("&Save"));
    for (QPushButton* button : {copies, openButton, saveButton, m_exchange->makeExportButton()})
        m_page->addAction(button);
    auto* openAction = addDocumentAction(tr("Open…"), QKeySequence::Open, {}, &DesignPage::open);
    auto* saveAction = addDocumentAction(tr("Save"), QKeySequence::Save, {}, &DesignPage::save);
    copies->setToolTip(tr("Save copies of this specification for other rank counts"));
    openButton->setToolTip(tr("A specification, or settings of DeepSpeed, Megatron-LM or SageMaker"));
    saveButton->setToolTip(tr("Save the specification for `trainyard plan` and `launch`"));
    connect(copies, &QPushButton::clicked, m_copies, &ScaledCopiesBar::ask);
    connect(openButton, &QPushButton::clicked, openAction, &QAction::trigger);
    connect(saveButton, &QPushButton::clicked, saveAction, &QAction::trigger);
}

void DesignPage::activate()
{
    m_weights.refresh(); // the folder may have changed meanwhile
    refresh();
    if (!m_form->isAncestorOf(focusWidget()))
        m_form->focusField(QStringLiteral("name"));
}

VerdictPanel::Findings DesignPage::findings() const
{
    VerdictPanel::Findings findings{m_document.diagnostics(),
                                    m_document.isValid() ? remarksOn(m_document.spec()) : Diagnostics()};
    for (const Diagnostic& problem : m_weights.problems())
        findings.problems.push_back(problem);
    for (const PlannedDesign& design : m_phases)
        addFindings(design, findings);
    for (const PlannedDesign& design : m_phases) {
        if (const auto& shortage = design.plan.shortage; findings.problems.empty() && shortage)
            findings.problems.push_back(inPhase(design.run(), design.phase, memoryProblem(*shortage)));
    }
    return findings;
}

void DesignPage::addFindings(const PlannedDesign& design, VerdictPanel::Findings& findings) const
{
    const auto add = [&design](Diagnostics found, Diagnostics& all) {
        for (const Diagnostic& one : inPhase(design.run(), design.phase, std::move(found)))
            all.push_back(one);
    };
    if (const auto shapes = m_known.shapes(design.spec); !shapes.empty()) {
        add(mixProblems(design.spec, shapes), findings.problems);
        add(mixRemarks(design.spec, shapes), findings.remarks);
    }
    add(precisionRemarks(design.spec, design.plan.hosts), findings.remarks);
}

std::vector<ExplainedProblem> DesignPage::explain(const PlannedDesign& design) const
{
    const PlanFacts facts = planFacts(planInputs(design.spec), m_known.rows(design.spec));
    auto explained = explainPlan(design.spec, facts);
    if (explained.empty())
        explained = explainPrecision(design.spec, facts);
    std::vector<ExplainedProblem> ofRun;
    for (const ExplainedProblem& one : explained) {
        ofRun.push_back(inPhase(design.run(), design.phase, one));
        if (ofRun.back().problem != one.problem) // also as it is reported where all phases have it
            ofRun.push_back({one.problem, ofRun.back().remedies});
    }
    return ofRun;
}

void DesignPage::explainProblems()
{
    std::vector<ExplainedProblem> explained;
    for (const PlannedDesign& design : m_phases)
        std::ranges::move(explain(design), std::back_inserter(explained));
    m_verdict->showRemedies(explained);
}

void DesignPage::apply(const Remedy& remedy)
{
    m_document.editAtOnce(tr("Suggested setting"), QStringLiteral("remedy"),
                          [&](RunSpec& spec) { spec = remedy.spec; });
}

PlanInputs DesignPage::planInputs(const RunSpec& spec) const
{
    return {m_known.sequences(spec), [this](const std::string& name) { return m_hardware.find(name); },
            [this](const NodeSpec& node) { return memoryFoundOn(node, m_hosts); }};
}

PlannedDesign DesignPage::planPhase(int phase) const
{
    const RunSpec& run = m_document.spec();
    RunSpec spec = specOfPhase(run, phase);
    const PlanInputs inputs = planInputs(spec);
    PlannedDesign design{std::move(spec), inputs.shape};
    design.plan = planRun(design.spec, inputs);
    design.phase = phase;
    if (!run.phases.empty())
        design.whole = run;
    return design;
}

/// Updates everything that is fast to compute; slower results follow in the panels.
void DesignPage::refresh()
{
    m_phases.clear();
    for (int phase = 0; phase < phaseCount(m_document.spec()); ++phase)
        m_phases.push_back(planPhase(phase));
    showPhases();
    m_layer->setModel(m_document.spec().model);
    m_weights.setSpec(m_phases.front().spec);
    showWeights();
    showCluster();
    const VerdictPanel::Findings found = findings();
    m_verdict->showVerdict(design(), found);
    m_form->showFound(found.problems);
    m_alternatives->setDesign(design());
    m_plan->showDesign(design());
    m_explainSoon.start();
}

void DesignPage::showPhases()
{
    m_phase = static_cast<std::size_t>(m_form->phases().chosen());
    m_form->phases().showPlans(m_phases);
    m_form->phases().setFacts(m_known.facts(design().spec));
    m_verdict->setPhases(phaseTitle(m_document.spec(), design().phase), phaseTotals(m_phases));
}

void DesignPage::showWeights()
{
    QStringList lines = m_weights.facts();
    for (const Diagnostic& problem : m_weights.problems())
        lines << sentenceOf(problem);
    m_form->showWeights(lines.join(QLatin1Char('\n')), !m_weights.problems().empty());
}

void DesignPage::showCluster()
{
    const PlannedRun& plan = design().plan;
    const DeviceMap map(design().spec);
    const GroupedMemory memory = groupMemory(map, plan.pipelineRanks, plan.hosts);
    m_cluster->setCluster(map, memory);
    m_memory->setMemory(memory, design().spec.layout, plan.memory.assumptions);
}

void DesignPage::showKept()
{
    const auto& kept = m_plan->kept();
    m_verdict->setKept(kept);
    m_memory->setKept(
        kept ? fullestGroup(groupMemory(DeviceMap(kept->spec), kept->plan.pipelineRanks, kept->plan.hosts))
             : std::nullopt);
}

void DesignPage::applyAlternative(const FoundLayout& layout)
{
    m_document.editAtOnce(tr("Alternative layout"), QStringLiteral("layout"),
                          [&layout, phase = design().phase](RunSpec& run) {
                              RunSpec wanted = specOfPhase(run, phase);
                              applyLayout(wanted, layout);
                              applyInPhase(run, phase, wanted);
                          });
    reportHostsWithoutRanks();
}

/// Reports hosts without ranks: the cheapest layout may need fewer. They stay in the design until the user
/// removes them.
void DesignPage::reportHostsWithoutRanks()
{
    const auto& hosts = design().plan.hosts;
    const auto used = hosts.empty() ? 0 : static_cast<std::ptrdiff_t>(hosts.back().node) + 1;
    const auto all = static_cast<std::ptrdiff_t>(m_document.spec().cluster.nodes.size());
    if (used >= all)
        return;
    m_page->messageBar()->showMessage(MessageBar::Tone::Info,
                                      tr("This layout uses %1 of %2 hosts.").arg(used).arg(all),
                                      tr("The others get no ranks and add no cost."));
    m_page->messageBar()->addAction(tr("Remove &them"), [this, used] {
        m_document.editAtOnce(
            tr("Hosts without ranks"), QStringLiteral("cluster.nodes"), [used](RunSpec& spec) {
                if (used < static_cast<std::ptrdiff_t>(spec.cluster.nodes.size()))
                    spec.cluster.nodes.erase(spec.cluster.nodes.begin() + used, spec.cluster.nodes.end());
            });
        m_page->messageBar()->clear();
    });
}

/// Keeps the hosts of the design, and takes listed data sets of the recipe's sequence lengths.
void DesignPage::applyRecipe(const QString& name)
{
    const auto recipe = recipeOf(name.toStdString());
    auto run = runOf(*recipe, m_known.foldersFor(recipe->lengths));
    if (!run.ok())
        return m_page->messageBar()->showError(run.error());
    m_document.editAtOnce(tr("Recipe"), QStringLiteral("recipe"), [&run](RunSpec& spec) {
        const ClusterSpec cluster = spec.cluster;
        spec = std::move(*run);
        spec.cluster = cluster;
    });
    m_page->messageBar()->showMessage(
        MessageBar::Tone::Info,
        tr("The recipe %1 replaced the design.").arg(QString::fromStdString(recipe->title)),
        QString::fromStdString(recipe->source));
    m_page->messageBar()->addAction(tr("&Undo"), [this] {
        undo();
        m_page->messageBar()->clear();
    });
}

void DesignPage::updateTitle()
{
    const auto& file = m_document.file();
    const QString name = file.empty() ? tr("not saved yet") : QString::fromStdString(file.string());
    m_page->setSubtitle(m_document.isModified() && !file.empty() ? tr("%1 · changed").arg(name) : name);
}

void DesignPage::useDataSet(const DataSetEntry& entry)
{
    m_document.editAtOnce(tr("Data set"), QStringLiteral("dataset.path"), [&](RunSpec& spec) {
        spec.dataset = {.path = entry.folder.toStdString()};
        if (entry.vocabularySize > 0)
            spec.model.vocabulary = entry.vocabularySize;
        useTaskOf(entry, spec.model.task);
        // A design whose only node is this machine moves to the data set's host, because only that can read
        // the rows.
        if (spec.cluster.nodes.size() == 1 && spec.cluster.nodes.front().host == thisMachine().toStdString())
            spec.cluster.nodes.front().host = entry.host.toStdString();
    });
    const QString task = taskTextOf(entry);
    m_page->messageBar()->showMessage(
        MessageBar::Tone::Info, tr("%1 is the data set of this run.").arg(entry.name),
        tr("The model's vocabulary was set to its %1 entries; the rows are on %2.")
                .arg(entry.vocabularySize)
                .arg(entry.host) +
            (task.isEmpty() ? QString() : QLatin1Char(' ') + tr("The task was set: %1.").arg(task)));
    m_page->messageBar()->addAction(tr("&Undo"), [this] {
        undo();
        m_page->messageBar()->clear();
    });
}

void DesignPage::useDataSetFolder(const QString& folder)
{
    if (const DataSetEntry* found = m_known.findHere(folder)) {
        const DataSetEntry entry = *found; // planning may read the folder again
        return useDataSet(entry);
    }
    m_document.editAtOnce(tr("Data set"), QStringLiteral("dataset.path"),
                          [&](RunSpec& spec) { spec.dataset = {.path = folder.toStdString()}; });
}

void DesignPage::openFile(const QString& file)
{
    if (const Status opened = m_document.open(file.toStdString()); !opened.ok())
        m_page->messageBar()->showError(opened.error());
    else
        m_page->messageBar()->clear();
}

void DesignPage::saveFile(const QString& file)
{
    if (const Status saved = m_document.save(file.toStdString()); !saved.ok())
        m_page->messageBar()->showError(saved.error());
}

void DesignPage::open()
{
    const QStringList filters = QStringList{specFilter()} + SettingsExchange::filters();
    QString chosen;
    const QString file = QFileDialog::getOpenFileName(this, tr("Open a specification"), {},
                                                      filters.join(QStringLiteral(";;")), &chosen);
    if (file.isEmpty())
        return;
    if (const auto tool = SettingsExchange::toolOfFilter(chosen))
        m_exchange->importFile(*tool, file);
    else
        openFile(file);
}

void DesignPage::save()
{
    if (m_document.file().empty())
        saveAs();
    else
        saveFile(QString::fromStdString(m_document.file().string()));
}

void DesignPage::saveAs()
{
    const QString proposal = QString::fromStdString(m_document.spec().name) + QStringLiteral(".json");
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Save the specification"), proposal, specFilter());
    if (!file.isEmpty())
        saveFile(file);
}

void DesignPage::undo()
{
    m_document.undoStack().undo();
}

void DesignPage::redo()
{
    m_document.undoStack().redo();
}

void DesignPage::launch()
{
    if (!m_document.isValid() || m_launch)
        return;
    m_verdict->setLaunching(true);
    m_notices.clear();
    m_page->messageBar()->clear();
    m_launch = m_runs.launch(m_document.spec(), SendData::Ask);
    m_launchBar->follow(*m_launch, QString::fromStdString(m_document.spec().name));
    connect(m_launch, &RunOperation::noticed, this, [this](const QString& text) { m_notices << text; });
    connect(m_launch, &RunOperation::finished, this, &DesignPage::onLaunched);
}

void DesignPage::onLaunched(const Result<QString>& result)
{
    m_launch.clear();
    m_verdict->setLaunching(false);
    if (result.ok()) {
        if (!m_notices.isEmpty())
            m_page->messageBar()->showMessage(MessageBar::Tone::Warning, tr("%1 was launched.").arg(*result),
                                              m_notices.join(QLatin1Char('\n')));
        emit runLaunched(*result);
    } else if (result.error().kind == ErrorKind::Cancelled) {
        m_page->messageBar()->showMessage(MessageBar::Tone::Info, displayError(result.error()));
    } else {
        m_page->messageBar()->showError(result.error());
    }
}

} // namespace trainyard
