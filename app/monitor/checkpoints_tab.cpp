#include "app/monitor/checkpoints_tab.h"

#include <algorithm>
#include <array>
#include <utility>

#include <QItemSelectionModel>
#include <QPushButton>
#include <QStackedWidget>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/monitor/model/checkpoint_choice.h"
#include "app/runs/run_hosts.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"
#include "app/workspace/empty_state.h"
#include "app/workspace/panel_area.h"

namespace trainyard {

namespace {

using std::chrono::milliseconds;

/// Time for comparing hashes. Only the user's request includes it, because the hosts then read all
/// checkpoints, which slows down training.
constexpr milliseconds kIndexAlone{0};
constexpr milliseconds kComparison{60'000};

double bytesOfAll(const QList<RunCheckpoint>& checkpoints)
{
    double bytes = 0;
    for (const RunCheckpoint& one : checkpoints)
        bytes += double(one.bytes);
    return bytes;
}

QString withHint(const Error& error)
{
    const QString hint =
        error.hint.empty()
            ? CheckpointsTab::tr("Check that the host is up and can be reached, then choose Refresh.")
            : asSentence(QString::fromStdString(error.hint));
    return oneLine(asSentence(QString::fromStdString(error.message))) + QStringLiteral("\n") + oneLine(hint);
}

} // namespace

CheckpointsTab::CheckpointsTab(RunHosts* hosts, QWidget* parent)
    : QWidget(parent)
    , m_hosts(hosts)
    , m_resume(makeButton(tr("Resume from this checkpoint"), nullptr, this))
    , m_try(makeButton(tr("Try on a text"), nullptr, this))
    , m_export(makeButton(tr("Export model…"), nullptr, this))
    , m_verify(makeButton(tr("Verify"), nullptr, this))
    , m_refresh(makeButton(tr("Refresh"), nullptr, this))
    , m_state(new ElidedLabel("muted", Qt::ElideRight, this))
    , m_pages(new QStackedWidget(this))
    , m_table(new TableView(tr("Checkpoints")))
    , m_choice(makeParagraph({}, "muted"))
{
    m_pages->addWidget(buildList());
    auto* column = columnLayout(this, metrics::kGap, metrics::kTabMargins);
    column->addLayout(buildBar());
    column->addWidget(m_state);
    column->addWidget(m_pages, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &CheckpointsTab::showChoice);
    showInstead(tr("Reading the checkpoints…"), {});
    showChoice();
}

QLayout* CheckpointsTab::buildBar()
{
    m_verify->setToolTip(
        tr("Compares every byte with its hash, newest first, for up to a minute. Only the index and the file "
           "sizes of the rest are checked."));
    m_refresh->setToolTip(tr("Asks the run's first host again (F5)"));
    auto* bar = rowLayout();
    for (QPushButton* button : {m_resume, m_try, m_export, m_verify, m_refresh})
        bar->addWidget(button);
    bar->addStretch(1);
    connect(m_resume, &QPushButton::clicked, this, &CheckpointsTab::resume);
    connect(m_try, &QPushButton::clicked, this, [this] {
        if (const RunCheckpoint* checkpoint = current())
            emit trialWanted(checkpoint->step);
    });
    connect(m_export, &QPushButton::clicked, this, [this] {
        if (const RunCheckpoint* checkpoint = current())
            emit exportWanted(checkpoint->step);
    });
    connect(m_verify, &QPushButton::clicked, this, [this] { ask(kComparison); });
    connect(m_refresh, &QPushButton::clicked, this, [this] { ask(kIndexAlone); });
    return bar;
}

QWidget* CheckpointsTab::buildList()
{
    m_table->setModel(&m_model);
    // The last column takes the remaining width.
    const std::array<int, CheckpointListModel::ColumnCount - 1> widths{80, 128, 96, 88, 72};
    for (std::size_t column = 0; column < widths.size(); ++column)
        m_table->setColumnWidth(int(column), widths[column]);
    // A path is one long word; it must not widen the panel.
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    m_choice->setSizePolicy(policy);
    QFrame* panel = makePanel();
    auto* column = columnLayout(panel, metrics::kGap, {1, metrics::kHalf, 1, metrics::kGap});
    column->addWidget(m_table, 1);
    auto* line = rowLayout(nullptr, -1, {metrics::kGap, 0, metrics::kGap, 0});
    line->addWidget(m_choice);
    column->addLayout(line);
    return panel;
}

void CheckpointsTab::show(const OpenRun& run, bool canAct)
{
    if (m_run != &run)
        startOver(run);
    m_canAct = canAct;
    const qsizetype news = checkpointNews(run.series());
    const bool isNew = std::exchange(m_checkpointNews, news) != news;
    if (std::exchange(m_isStale, false) || isNew)
        ask(kIndexAlone);
    showPage();
    showState();
    showChoice();
}

void CheckpointsTab::startOver(const OpenRun& run)
{
    ++m_generation;
    m_run = &run;
    m_isStale = true;
    m_isAsking = m_isComparing = m_isListed = false;
    m_askNext.reset();
    m_problem.reset();
    m_model.clear();
}

void CheckpointsTab::refresh()
{
    m_isStale = true;
    if (m_run && PanelArea::isSeen(*this))
        show(*m_run, m_canAct);
}

/// Reloads the list when it becomes visible again, because changes are not followed while it is hidden.
void CheckpointsTab::hideEvent(QHideEvent* event)
{
    m_isStale = true;
    QWidget::hideEvent(event);
}

void CheckpointsTab::ask(milliseconds verification)
{
    if (!m_run || !whyNotAsked().isEmpty())
        return;
    if (m_isAsking) {
        m_askNext = std::max(m_askNext.value_or(kIndexAlone), verification);
        return;
    }
    m_isAsking = true;
    m_isComparing = verification > kIndexAlone;
    showState();
    m_hosts->listCheckpoints(m_run->id(), verification, this,
                             [this, generation = m_generation](const Result<QList<RunCheckpoint>>& listed) {
                                 if (generation == m_generation)
                                     take(listed);
                             });
}

void CheckpointsTab::take(const Result<QList<RunCheckpoint>>& listed)
{
    ++m_generation;
    m_isAsking = m_isComparing = false;
    m_problem = listed.ok() ? std::nullopt : std::optional(listed.error());
    if (listed.ok()) {
        m_isListed = true;
        m_model.update(*listed);
        if (!m_table->currentIndex().isValid() && m_model.rowCount() > 0)
            m_table->selectRow(m_model.usualRow());
    }
    if (m_askNext)
        ask(*std::exchange(m_askNext, std::nullopt));
    showPage();
    showState();
    showChoice();
}

QString CheckpointsTab::whyNotAsked() const
{
    if (m_run && m_run->facts().import)
        return tr("This run was imported, so it is not known where its checkpoints are.");
    if (!m_hosts || (m_run && m_run->facts().hosts.isEmpty()))
        return tr("The checkpoints are on the run's hosts, which are not known on this computer.");
    return {};
}

const RunCheckpoint* CheckpointsTab::current() const
{
    const int row = m_table->currentIndex().row();
    return row >= 0 && row < m_model.rowCount() ? &m_model.checkpoints()[row] : nullptr;
}

QString CheckpointsTab::whyNoResume() const
{
    if (!m_run)
        return tr("Choose a run first.");
    const QString run = whyNotResumed(m_run->facts(), m_run->series().status());
    if (!run.isEmpty())
        return run;
    const RunCheckpoint* checkpoint = current();
    if (!checkpoint)
        return tr("Choose a checkpoint first.");
    const QString choice = whyNotFrom(*checkpoint, m_model.checkpoints());
    return choice.isEmpty() && !m_canAct ? tr("Wait until the previous request to this run is done.")
                                         : choice;
}

void CheckpointsTab::resume()
{
    if (const RunCheckpoint* checkpoint = current())
        emit resumeWanted(checkpoint->step, abandonedBranchText(*checkpoint, m_model.checkpoints()));
}

void CheckpointsTab::showPage()
{
    const QString why = whyNotAsked();
    if (!why.isEmpty())
        showInstead(tr("Cannot list the checkpoints"), why);
    else if (m_model.rowCount() > 0)
        m_pages->setCurrentIndex(0);
    else if (m_problem)
        showInstead(tr("Cannot list the checkpoints"), withHint(*m_problem));
    else if (!m_isListed || !m_run)
        showInstead(tr("Reading the checkpoints…"), tr("Asking the run's first host."));
    else
        showNone(m_run->series().status().state);
}

void CheckpointsTab::showNone(RunState state)
{
    showInstead(isFinal(state) ? tr("No checkpoints") : tr("No checkpoints yet"),
                whenTheFirstIsDue(m_run->facts(), state));
}

/// Replaces the empty state, whose texts are fixed, when its texts change.
void CheckpointsTab::showInstead(const QString& heading, const QString& sentence)
{
    const QString text = heading + QLatin1Char('\n') + sentence;
    if (m_instead && text == m_insteadText)
        return m_pages->setCurrentWidget(m_instead);
    delete std::exchange(m_instead, new EmptyState(QStringLiteral("folder"), heading, sentence, {}));
    m_insteadText = text;
    m_pages->addWidget(m_instead);
    m_pages->setCurrentWidget(m_instead);
}

void CheckpointsTab::showState()
{
    const int count = m_model.rowCount();
    const bool canAsk = m_run && whyNotAsked().isEmpty();
    m_refresh->setEnabled(canAsk);
    m_verify->setEnabled(canAsk && count > 0);
    if (m_isAsking)
        m_state->setFullText(m_isComparing ? tr("verifying hashes…") : tr("reading…"));
    else if (m_problem && count > 0)
        m_state->setFullText(
            tr("refresh failed: %1").arg(oneLine(QString::fromStdString(m_problem->text()))));
    else
        m_state->setFullText(count == 0 ? QString()
                                        : tr("%1, %2").arg(displayCounted(count, "checkpoint"),
                                                           displayBytes(bytesOfAll(m_model.checkpoints()))));
}

void CheckpointsTab::showChoice()
{
    const QString why = whyNoResume();
    const RunCheckpoint* checkpoint = current();
    m_resume->setEnabled(why.isEmpty());
    m_resume->setToolTip(why.isEmpty() ? tr("Starts the run's next attempt from this checkpoint") : why);
    const bool isWhole = checkpoint && checkpoint->state == QLatin1String("whole");
    m_try->setEnabled(isWhole);
    m_try->setToolTip(isWhole ? tr("Gives a text to this checkpoint")
                              : tr("Select a complete checkpoint to try"));
    m_export->setEnabled(isWhole);
    m_export->setToolTip(isWhole ? tr("Writes a folder for Hugging Face's AutoModel and AutoTokenizer")
                                 : tr("Select a complete checkpoint to export"));
    QStringList sentences;
    if (checkpoint)
        sentences << sentenceOf(*checkpoint);
    if (checkpoint && !why.isEmpty())
        sentences << why;
    m_choice->setText(sentences.join(QLatin1Char(' ')));
    m_choice->setVisible(checkpoint);
}

} // namespace trainyard
