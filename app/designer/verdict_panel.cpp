#include "app/designer/verdict_panel.h"

#include <QGridLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/models/display_text.h"
#include "app/models/theme.h"
#include "app/widgets/roles.h"
#include "engine/planner/parameter_parts.h"

namespace trainyard {

namespace {

QString count(double value)
{
    return displayNumber(value);
}

QStringList figuresOf(const RunSpec& spec, const PlannedRun& plan, const SequenceShape& shape)
{
    const double tokensPerStep = static_cast<double>(spec.batch.global) * shape.length;
    return {count(static_cast<double>(parameterCount(spec.model))), count(spec.layout.worldSize()),
            displayBytes(static_cast<double>(plan.memory.total())), count(tokensPerStep),
            count(tokensPerStep * spec.launch.steps)};
}

} // namespace

VerdictPanel::VerdictPanel(QWidget* parent)
    : QFrame(parent)
    , m_verdict(makeLabel({}, "verdict"))
    , m_sentence(makeLabel({}, "muted"))
    , m_problems(new QVBoxLayout)
    , m_launch(makeButton(tr("&Launch"), "primary"))
    , m_reason(makeLabel({}, "help"))
{
    setRole(this, "panel");
    m_sentence->setWordWrap(true);
    m_reason->setWordWrap(true);
    m_problems->setContentsMargins(0, 0, 0, 0);
    m_problems->setSpacing(metrics::kHalf);

    auto* list = new QWidget;
    setRole(list, "form");
    auto* listColumn = new QVBoxLayout(list);
    listColumn->setContentsMargins(0, 0, 0, 0);
    listColumn->addLayout(m_problems);
    listColumn->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidget(list);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);

    auto* figures = new QGridLayout;
    figures->setVerticalSpacing(metrics::kHalf);
    figures->setColumnStretch(0, 1);
    for (const QString& name :
         {tr("Parameters"), tr("Ranks"), tr("Memory per rank"), tr("Tokens per step"), tr("Tokens in all")})
        addFigure(figures, name);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding,
                               metrics::kPanelPadding);
    column->setSpacing(metrics::kGap);
    column->addWidget(m_verdict);
    column->addWidget(m_sentence);
    column->addWidget(scroll, 1);
    column->addWidget(makeSeparator());
    column->addLayout(figures);
    column->addWidget(makeSeparator());
    column->addWidget(m_reason);
    column->addWidget(m_launch);
    connect(m_launch, &QPushButton::clicked, this, &VerdictPanel::launchRequested);
}

void VerdictPanel::addFigure(QGridLayout* grid, const QString& name)
{
    const int row = static_cast<int>(m_figures.size());
    auto* value = makeLabel({});
    value->setAccessibleName(name);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    grid->addWidget(makeLabel(name, "muted"), row, 0);
    grid->addWidget(value, row, 1, Qt::AlignRight);
    m_figures.push_back(value);
}

void VerdictPanel::showVerdict(const RunSpec& spec, const Findings& findings, const PlannedRun& plan,
                               const SequenceShape& shape)
{
    m_problemCount = findings.problems.size() + (plan.fits.ok() ? 0 : 1);
    showSentence(findings, plan);
    showDiagnostics(findings.problems.empty() ? findings.remarks : findings.problems);
    const QStringList figures = figuresOf(spec, plan, shape);
    for (std::size_t i = 0; i < m_figures.size(); ++i)
        m_figures[i]->setText(figures[static_cast<qsizetype>(i)]);
    updateLaunch();
}

void VerdictPanel::showSentence(const Findings& findings, const PlannedRun& plan)
{
    const Diagnostics& problems = findings.problems;
    if (!problems.empty()) {
        setStyleProperty(m_verdict, "tone", "bad");
        m_verdict->setText(tr("✕ Cannot run yet"));
        m_sentence->setText(problems.size() == 1 ? tr("One thing is in the way:")
                                                 : tr("%1 things are in the way:").arg(problems.size()));
    } else if (!plan.fits.ok()) {
        setStyleProperty(m_verdict, "tone", "bad");
        m_verdict->setText(tr("✕ Does not fit"));
        m_sentence->setText(QString::fromStdString(plan.fits.error().text()));
    } else if (!findings.remarks.empty()) {
        setStyleProperty(m_verdict, "tone", "warning");
        m_verdict->setText(tr("◆ Can be launched"));
        m_sentence->setText(tr("It is consistent, but not all of it does what it seems to ask for:"));
    } else {
        setStyleProperty(m_verdict, "tone", "good");
        m_verdict->setText(tr("✓ Can be launched"));
        m_sentence->setText(tr("Every value is consistent. The launch checks hosts, data set and disk."));
    }
}

void VerdictPanel::showDiagnostics(const Diagnostics& diagnostics)
{
    while (QLayoutItem* item = m_problems->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater(); // may be the sender
        }
        delete item;
    }
    for (const Diagnostic& problem : diagnostics) {
        const QString path = QString::fromStdString(problem.path);
        auto* link = makeButton(path, "link");
        link->setToolTip(tr("Go to the field"));
        link->setAccessibleDescription(QString::fromStdString(problem.message));
        auto* text = makeLabel(QString::fromStdString(problem.message + " — " + problem.hint), "help");
        text->setWordWrap(true);
        text->setContentsMargins(metrics::kHalf, 0, 0, metrics::kHalf);
        connect(link, &QPushButton::clicked, this, [this, path] { emit problemChosen(path); });
        m_problems->addWidget(link, 0, Qt::AlignLeft);
        m_problems->addWidget(text);
    }
}

void VerdictPanel::setLaunching(bool launching)
{
    m_launching = launching;
    updateLaunch();
}

void VerdictPanel::updateLaunch()
{
    const QString reason = m_launching          ? tr("A launch is under way.")
                           : m_problemCount > 0 ? tr("Launch waits until nothing is in the way.")
                                                : QString();
    m_launch->setEnabled(reason.isEmpty());
    m_launch->setToolTip(reason);
    m_reason->setText(reason);
    m_reason->setVisible(!reason.isEmpty());
}

} // namespace trainyard
