#include "app/designer/verdict_panel.h"

#include <algorithm>

#include <QEvent>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QStackedWidget>

#include "app/base/theme.h"
#include "app/designer/field_help.h"
#include "app/designer/model/plan_metrics.h"
#include "app/designer/plan_metric_table.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

enum View { FindingsPage, AssumptionsPage };

constexpr int kMaxScrollHeight = 320; ///< pixels of findings: two with what solves them

QString paragraphs(const QStringList& sentences)
{
    QString html;
    for (const QString& sentence : sentences)
        html += QStringLiteral("<p>%1</p>").arg(withPaperLinks(sentence));
    return html;
}

/// Also of a phase: "phases[1].memory".
bool isOfMemory(const Diagnostic& problem)
{
    return problem.path == kMemoryPath || problem.path.ends_with(std::string(".") + kMemoryPath);
}

/// Scroll area as high as its content, up to a maximum in pixels.
class FittingScroll : public QScrollArea {
public:
    FittingScroll(QWidget* content, int maxHeight) : m_maxHeight(maxHeight)
    {
        setWidget(content); // installs the event filter on the content
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setFocusPolicy(Qt::NoFocus);
    }

    QSize sizeHint() const override { return minimumSizeHint(); }
    QSize minimumSizeHint() const override
    {
        const int width = viewport()->width();
        const int needed =
            widget()->hasHeightForWidth() ? widget()->heightForWidth(width) : widget()->sizeHint().height();
        return {0, std::clamp(needed, 0, m_maxHeight)};
    }

protected:
    /// Wrapped text needs another height after a change of width.
    void resizeEvent(QResizeEvent* event) override
    {
        QScrollArea::resizeEvent(event);
        updateGeometry();
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == widget() && event->type() == QEvent::LayoutRequest)
            updateGeometry();
        return QScrollArea::eventFilter(watched, event);
    }

private:
    int m_maxHeight;
};

} // namespace

VerdictPanel::VerdictPanel(QWidget* parent)
    : QFrame(parent)
    , m_verdict(makeLabel({}, "verdict"))
    , m_sentence(makeLabel({}, "muted"))
    , m_problems(new ProblemList)
    , m_assumptions(makeParagraph({}, "help"))
    , m_pages(new QStackedWidget)
    , m_phase(new ElidedLabel("heading"))
    , m_metrics(new PlanMetricTable)
    , m_all(makeParagraph({}, "muted"))
    , m_obstacle(makeLabel({}, "help"))
    , m_chooseHardware(makeButton(tr("Choose the hardware"), "link"))
    , m_explain(makeButton(tr("How is this computed?"), "link"))
    , m_launch(makeButton(tr("&Launch"), "primary"))
    , m_reason(makeLabel({}, "help"))
{
    setRole(this, "panel");
    for (QLabel* text : {m_sentence, m_obstacle, m_reason})
        text->setWordWrap(true);
    setPhases({}, {});
    m_pages->insertWidget(FindingsPage, new FittingScroll(m_problems, kMaxScrollHeight));
    m_pages->insertWidget(AssumptionsPage, makeAssumptions());
    m_explain->setCheckable(true);
    auto* keep = makeButton(tr("Compare"), "link");
    keep->setAccessibleName(tr("Save for comparison"));
    keep->setToolTip(
        tr("Saves this design for comparison; every metric then shows the effect of further edits"));
    auto* links = new QHBoxLayout;
    links->addWidget(m_explain);
    links->addStretch(1);
    links->addWidget(keep);

    auto* body = new QWidget;
    setRole(body, "form");
    auto* rows = columnLayout(body);
    rows->addWidget(m_sentence);
    rows->addWidget(m_pages);
    rows->addWidget(makeSeparator());
    rows->addWidget(m_phase);
    rows->addWidget(m_metrics);
    rows->addWidget(m_all);
    rows->addWidget(m_obstacle);
    rows->addWidget(m_chooseHardware, 0, Qt::AlignLeft);
    rows->addLayout(links);
    rows->addStretch();
    auto* scroll = verticalScroll(body); // scrolls alone, so that verdict and Launch stay visible
    scroll->viewport()->setAutoFillBackground(false);
    body->setAutoFillBackground(false);

    auto* column = columnLayout(this, metrics::kGap, metrics::kPanelMargins);
    column->addWidget(m_verdict);
    column->addWidget(scroll, 1);
    column->addWidget(makeSeparator());
    column->addWidget(m_reason);
    column->addWidget(m_launch);
    connect(m_launch, &QPushButton::clicked, this, &VerdictPanel::launchRequested);
    connect(m_problems, &ProblemList::problemChosen, this, &VerdictPanel::problemChosen);
    connect(m_problems, &ProblemList::remedyChosen, this, &VerdictPanel::remedyChosen);
    connect(m_chooseHardware, &QPushButton::clicked, this, &VerdictPanel::chooseHardware);
    connect(m_explain, &QPushButton::toggled, this, &VerdictPanel::explain);
    connect(keep, &QPushButton::clicked, this, &VerdictPanel::keepRequested);
}

QWidget* VerdictPanel::makeAssumptions()
{
    m_assumptions->setTextFormat(Qt::RichText);
    m_assumptions->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_assumptions->setOpenExternalLinks(true);
    m_assumptions->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_assumptions->setAccessibleName(tr("Basis of the metrics"));
    auto* page = new QWidget;
    setRole(page, "form");
    auto* column = columnLayout(page, -1);
    column->addWidget(m_assumptions);
    return new FittingScroll(page, kMaxScrollHeight);
}

void VerdictPanel::chooseHardware()
{
    const std::size_t node = nodeOfUnknownHardware(m_design).value_or(0);
    emit problemChosen(QStringLiteral("cluster.nodes[%1].hardware").arg(node));
}

void VerdictPanel::showVerdict(const PlannedDesign& design, const Findings& findings)
{
    const double efficiency = m_design.efficiency; // of the previous design, until the new one is computed
    m_design = design;
    m_design.efficiency = efficiency;
    m_problemCount = findings.problems.size();
    showSentence(findings);
    showProblems(findings.problems.empty() ? findings.remarks : findings.problems);
    showMetrics();
    showObstacle(findings);
    explain(m_explain->isChecked());
    updateLaunch();
}

void VerdictPanel::setPhases(const QString& shown, const QString& all)
{
    m_phase->setFullText(shown);
    m_phase->setVisible(!shown.isEmpty());
    m_all->setText(all.isEmpty() ? QString() : tr("All phases: %1.").arg(all));
    m_all->setVisible(!all.isEmpty());
}

void VerdictPanel::setKept(const std::optional<PlannedDesign>& kept)
{
    m_kept = kept;
    showMetrics();
}

void VerdictPanel::setEfficiency(double efficiency)
{
    m_design.efficiency = efficiency;
    showMetrics();
}

void VerdictPanel::showMetrics()
{
    m_metrics->setMetrics(planMetrics(m_design), m_kept ? planMetrics(*m_kept) : std::vector<PlanMetric>());
}

/// Explains missing time metrics, unless there are problems. Unknown hardware is not listed as a problem.
void VerdictPanel::showObstacle(const Findings& findings)
{
    const bool isUnknown = nodeOfUnknownHardware(m_design).has_value();
    const QString obstacle = isUnknown || findings.problems.empty() ? timeObstacle(m_design) : QString();
    m_obstacle->setText(obstacle);
    m_obstacle->setVisible(!obstacle.isEmpty());
    m_chooseHardware->setVisible(isUnknown);
}

void VerdictPanel::explain(bool on)
{
    // No text while it is hidden, because all pages are as high as the highest one.
    m_assumptions->setText(on ? paragraphs(planAssumptions(m_design)) : QString());
    const bool used = on || !m_explained.empty();
    m_pages->setCurrentIndex(on ? AssumptionsPage : FindingsPage);
    m_pages->setVisible(used);
}

void VerdictPanel::showSentence(const Findings& findings)
{
    const Diagnostics& problems = findings.problems;
    if (!problems.empty()) {
        setStyleProperty(m_verdict, "tone", "bad");
        m_verdict->setText(isOfMemory(problems.front()) ? tr("✕ Does not fit") : tr("✕ Cannot run yet"));
        m_sentence->setText(problems.size() == 1 ? tr("1 problem:")
                                                 : tr("%1 problems:").arg(problems.size()));
    } else if (!findings.remarks.empty()) {
        setStyleProperty(m_verdict, "tone", "warning");
        m_verdict->setText(tr("◆ Can be launched"));
        m_sentence->setText(tr("Valid, with remarks:"));
    } else {
        setStyleProperty(m_verdict, "tone", "good");
        m_verdict->setText(tr("✓ Can be launched"));
        m_sentence->setText(tr("All values are consistent. The launch checks hosts, data set and disk."));
    }
}

void VerdictPanel::showProblems(const Diagnostics& problems)
{
    m_explained.clear();
    for (const Diagnostic& problem : problems)
        m_explained.push_back({problem, {}});
    m_problems->setProblems(m_explained);
}

void VerdictPanel::showRemedies(const std::vector<ExplainedProblem>& explained)
{
    for (ExplainedProblem& shown : m_explained) {
        const auto found = std::ranges::find(explained, shown.problem, &ExplainedProblem::problem);
        if (found != explained.end())
            shown.remedies = found->remedies;
    }
    m_problems->setProblems(m_explained);
}

void VerdictPanel::setLaunching(bool launching)
{
    const bool hadFocus = m_launch->hasFocus();
    m_launching = launching;
    updateLaunch();
    if (launching)
        m_focusMeanwhile = hadFocus ? window()->focusWidget() : nullptr;
    else if (m_focusMeanwhile && window()->focusWidget() == m_focusMeanwhile)
        m_launch->setFocus();
}

void VerdictPanel::updateLaunch()
{
    const QString reason = m_launching          ? tr("A launch is in progress.")
                           : m_problemCount > 0 ? tr("Fix the problems above to launch.")
                                                : QString();
    m_launch->setEnabled(reason.isEmpty());
    m_launch->setToolTip(reason);
    m_reason->setText(reason);
    m_reason->setVisible(!reason.isEmpty());
}

} // namespace trainyard
