#include "app/monitor/log_tab.h"

#include <algorithm>

#include <QFile>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/monitor/log_view.h"
#include "app/monitor/model/rank_logs.h"
#include "app/runs/open_run.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"
#include "app/widgets/segmented_control.h"
#include "app/workspace/panel_area.h"

namespace trainyard {

namespace {

constexpr qint64 kFirstPiece = 256 * 1024;
constexpr qint64 kPiece = 512 * 1024; ///< the most that an agent gives at once
constexpr qint64 kMinFirstPiece = 16 * 1024;
constexpr std::size_t kMaxRanks = 64; ///< whose logs are read at once
constexpr int kAgainMs = 1000;
constexpr int kFindWidth = 168;
constexpr int kRanksWidth = 72;

QToolButton* makeToolButton(const QString& text, const QString& help)
{
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(help);
    button->setAccessibleName(help);
    setRole(button, "button");
    return button;
}

} // namespace

LogTab::LogTab(RunHosts* hosts, QWidget* parent)
    : QWidget(parent)
    , m_hosts(hosts)
    , m_rankField(new QLineEdit(this))
    , m_level(new SegmentedControl({{tr("all"), tr("All lines")},
                                    {tr("▲ warnings"), tr("Lines that look like a warning or an error")},
                                    {tr("✕ errors"), tr("Lines that look like an error")}},
                                   this))
    , m_find(new QLineEdit(this))
    , m_count(makeLabel({}, "muted", this))
    , m_before(makeToolButton(tr("↑"), tr("Previous match (Shift+Enter)")))
    , m_after(makeToolButton(tr("↓"), tr("Next match (Enter)")))
    , m_follow(makeToolButton(tr("Follow log"), tr("Keeps the newest line in view")))
    , m_whole(makeButton(tr("Full log"), "link", this))
    , m_state(new ElidedLabel("muted", Qt::ElideRight, this))
    , m_view(new LogView(this))
{
    m_again.setSingleShot(true);
    connect(&m_again, &QTimer::timeout, this, &LogTab::readMore);
    buildBar();
}

void LogTab::buildBar()
{
    m_rankField->setAccessibleName(tr("Ranks"));
    m_rankField->setToolTip(
        tr("Ranks whose log is shown: 3, or 0-3, 8, or all. Up and Down go to the next rank."));
    m_rankField->setFixedWidth(kRanksWidth);
    m_rankField->installEventFilter(this);
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    m_whole->setToolTip(tr("Loads the log from its first line; until then only its end is shown"));
    m_state->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* bar = rowLayout();
    bar->addWidget(makeLabel(tr("Rank")));
    bar->addWidget(m_rankField);
    bar->addWidget(m_level);
    bar->addWidget(buildSearch());
    bar->addWidget(m_follow);
    bar->addWidget(m_whole);
    bar->addWidget(m_state, 1);
    QFrame* panel = makePanel(this);
    auto* inner = columnLayout(panel, -1, {1, metrics::kHalf, 1, metrics::kHalf});
    inner->addWidget(m_view);
    auto* column = columnLayout(this, metrics::kGap, metrics::kTabMargins);
    column->addLayout(bar);
    column->addWidget(panel, 1);
    connect(m_rankField, &QLineEdit::editingFinished, this, &LogTab::chooseRanks);
    connect(m_whole, &QPushButton::clicked, this, [this] { startOver(0); });
    connect(m_level, &SegmentedControl::chosen, this, [this](int level) {
        m_view->setLeastLevel(LogLevel(level));
        showMatchCount();
        showState();
    });
    connect(m_follow, &QToolButton::toggled, this, [this](bool follows) {
        if (follows)
            m_view->scrollToEnd();
    });
    connect(m_view, &LogView::currentChanged, this, &LogTab::onLineChosen);
}

QWidget* LogTab::buildSearch()
{
    m_find->setPlaceholderText(tr("Find"));
    m_find->setAccessibleName(tr("Find in the log"));
    m_find->setClearButtonEnabled(true);
    m_find->setFixedWidth(kFindWidth);
    m_find->installEventFilter(this);
    auto* box = new QWidget;
    auto* row = rowLayout(box, metrics::kHalf);
    for (QWidget* part : std::initializer_list<QWidget*>{m_find, m_before, m_after, m_count})
        row->addWidget(part);
    connect(m_find, &QLineEdit::textChanged, this, &LogTab::search);
    connect(m_before, &QToolButton::clicked, this, [this] { goToMatch(-1); });
    connect(m_after, &QToolButton::clicked, this, [this] { goToMatch(+1); });
    showMatchCount();
    return box;
}

void LogTab::show(const OpenRun& run)
{
    const bool other = run.id() != m_runId;
    m_runId = run.id();
    m_folder = run.facts().folder;
    const bool goesOn = std::exchange(m_over, isFinal(run.series().status().state)) && !m_over;
    const RunSpec* spec = run.facts().specNow();
    m_worldSize = std::max(1, spec ? spec->layout.worldSize() : int(run.series().ranks().size()));
    if (other)
        showRanks(std::move(m_ranks));
    else if (std::exchange(m_isWaiting, false) || goesOn)
        readMore();
}

/// Accepts any rank before a run is shown; showRanks() limits it later.
void LogTab::setRank(int rank)
{
    m_ranks = {rank};
    if (!m_runId.isEmpty())
        showRanks({rank});
}

void LogTab::showRanks(std::vector<int> ranks)
{
    std::erase_if(ranks, [this](int rank) { return rank < 0 || rank >= m_worldSize; });
    if (ranks.empty())
        ranks = {0};
    if (ranks.size() > kMaxRanks)
        ranks.resize(kMaxRanks);
    m_ranks = std::move(ranks);
    m_rankField->setText(textOf(m_ranks, m_worldSize));
    startOver(-std::max(kMinFirstPiece, kFirstPiece / qint64(m_ranks.size())));
}

/// Moves to the next or previous rank; from several ranks, to the one after or before them.
void LogTab::stepRank(int by)
{
    setRank(std::clamp((by > 0 ? m_ranks.back() : m_ranks.front()) + by, 0, m_worldSize - 1));
}

/// Applies the text of the field; restores the previous one if it does not name ranks.
void LogTab::chooseRanks()
{
    const auto ranks = ranksFrom(m_rankField->text(), m_worldSize);
    if (ranks && *ranks != m_ranks)
        return showRanks(*ranks);
    m_rankField->setText(textOf(m_ranks, m_worldSize));
}

void LogTab::goToTime(qint64 timeMs)
{
    m_follow->setChecked(false);
    m_view->goToTime(timeMs);
    showMatchCount();
}

/// Handles Enter and Shift+Enter in the search field (next and previous match), and arrows in the rank field
/// (next and previous rank).
bool LogTab::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (watched == m_rankField && (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down)) {
        stepRank(key->key() == Qt::Key_Up ? +1 : -1);
        return true;
    }
    if (watched != m_find || (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter))
        return false;
    goToMatch(key->modifiers() & Qt::ShiftModifier ? -1 : +1);
    return true;
}

void LogTab::startOver(qint64 offset)
{
    ++m_generation;
    m_readings.clear();
    for (const int rank : m_ranks)
        m_readings.push_back({rank, -1, offset});
    m_problem.clear();
    m_view->setRanks(m_ranks);
    m_state->setFullText(tr("reading…"));
    readMore();
}

void LogTab::readMore()
{
    m_isWaiting = !PanelArea::isSeen(*this);
    if (m_isWaiting || m_runId.isEmpty())
        return;
    m_problem.clear();
    for (Reading& reading : m_readings) {
        if (!reading.isAsked)
            read(reading);
    }
}

void LogTab::read(Reading& reading)
{
    if (QFile::exists(m_folder + QStringLiteral("/ranks")) || !m_hosts)
        return take(reading, readFromFolder(reading));
    reading.isAsked = true;
    m_hosts->readLog(m_runId, reading.rank, reading.offset, kPiece, this,
                     [this, &reading, generation = m_generation](const Result<LogPiece>& piece) {
                         if (generation != m_generation) // its reading is gone
                             return;
                         reading.isAsked = false;
                         take(reading, piece);
                     });
}

Result<LogPiece> LogTab::readFromFolder(const Reading& reading) const
{
    QFile file(m_folder + QStringLiteral("/ranks/%1.log").arg(reading.rank, 4, 10, QLatin1Char('0')));
    if (!file.open(QIODevice::ReadOnly))
        return badInput("this run's folder has no log of rank " + std::to_string(reading.rank));
    const qint64 from =
        reading.offset < 0 ? std::max<qint64>(0, file.size() + reading.offset) : reading.offset;
    file.seek(from);
    return LogPiece{from, file.read(kPiece)};
}

void LogTab::take(Reading& reading, const Result<LogPiece>& piece)
{
    const bool isMore = piece.ok() && !piece->bytes.isEmpty();
    if (piece.ok()) {
        reading.begin = reading.begin < 0 ? piece->offset : reading.begin;
        reading.offset = piece->offset + piece->bytes.size();
    } else {
        m_problem = QString::fromStdString(piece.error().text());
    }
    if (isMore) {
        m_view->append(reading.rank, piece->bytes, m_follow->isChecked());
        showMatchCount();
    }
    showState();
    if (isMore)
        m_again.start(0);
    else if ((!m_over || !piece.ok()) && !m_again.isActive())
        m_again.start(kAgainMs);
}

void LogTab::search()
{
    m_view->setNeedle(m_find->text());
    if (m_view->currentMatch() == 0)
        goToMatch(+1);
    showMatchCount();
}

void LogTab::goToMatch(int direction)
{
    if (m_view->matchCount() == 0)
        return;
    m_follow->setChecked(false);
    m_view->goToMatch(direction);
    showMatchCount();
}

void LogTab::onLineChosen(int line)
{
    m_follow->setChecked(false);
    showMatchCount();
    if (const auto time = m_view->lines().timeMs(line))
        emit timeChosen(*time);
}

void LogTab::showMatchCount()
{
    const qsizetype count = m_view->matchCount();
    m_count->setText(m_find->text().isEmpty() ? QString()
                     : count == 0             ? tr("no match")
                     : m_view->currentMatch() > 0
                         ? tr("%1 of %2").arg(displayCount(m_view->currentMatch()), displayCount(count))
                         : tr("%1 matches").arg(displayCount(count)));
    m_before->setEnabled(count > 0);
    m_after->setEnabled(count > 0);
}

void LogTab::showState()
{
    const int shown = m_view->shownCount();
    const int all = m_view->lines().size();
    m_whole->setVisible(std::ranges::any_of(m_readings, [](const Reading& r) { return r.begin > 0; }));
    m_view->setEmptyText(m_problem);
    if (!m_problem.isEmpty())
        return m_state->setFullText(m_problem);
    m_state->setFullText(all == 0      ? tr("the log is empty")
                         : shown < all ? tr("%1 of %2 lines").arg(displayCount(shown), displayCount(all))
                                       : displayCounted(all, "line"));
}

} // namespace trainyard
