#include "app/monitor/log_tab.h"

#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/display_text.h"
#include "app/models/open_run.h"
#include "app/models/theme.h"
#include "app/widgets/roles.h"
#include "engine/base/foreign_text.h"

namespace trainyard {

namespace {

constexpr qint64 kFirstPiece = 64 * 1024;
constexpr qint64 kPiece = 256 * 1024;
constexpr int kAgainMs = 1000;
constexpr int kMostLines = 20'000;

QString printable(const QByteArray& bytes)
{
    return QString::fromStdString(
        harmlessText({bytes.constData(), static_cast<std::size_t>(bytes.size())}, Lines::Many));
}

} // namespace

LogTab::LogTab(RunHosts* hosts, QWidget* parent)
    : QWidget(parent)
    , m_hosts(hosts)
    , m_rank(new QSpinBox(this))
    , m_find(new QLineEdit(this))
    , m_follow(new QToolButton(this))
    , m_state(makeLabel({}, "muted", this))
    , m_text(new QPlainTextEdit(this))
{
    m_text->setReadOnly(true);
    m_text->setMaximumBlockCount(kMostLines);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->document()->setDocumentMargin(metrics::kGap);
    m_text->setAccessibleName(tr("Log"));
    setRole(m_text, "mono");
    m_again.setSingleShot(true);
    connect(&m_again, &QTimer::timeout, this, &LogTab::readMore);
    buildBar();
}

void LogTab::buildBar()
{
    m_rank->setPrefix(tr("rank "));
    m_rank->setAccessibleName(tr("Rank"));
    m_rank->setMinimumWidth(110);
    m_find->setPlaceholderText(tr("Find (Enter = next)"));
    m_find->setAccessibleName(tr("Find in the log"));
    m_find->setMaximumWidth(260);
    m_follow->setText(tr("Follow the end"));
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    setRole(m_follow, "button");
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_state->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

    auto* bar = new QHBoxLayout;
    bar->setSpacing(metrics::kGap);
    bar->addWidget(m_rank);
    bar->addWidget(m_find);
    bar->addWidget(m_follow);
    bar->addWidget(m_state, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, metrics::kGap, 0, 0);
    column->setSpacing(metrics::kGap);
    column->addLayout(bar);
    column->addWidget(m_text, 1);
    connect(m_rank, &QSpinBox::valueChanged, this, &LogTab::startOver);
    connect(m_find, &QLineEdit::returnPressed, this, &LogTab::findNext);
}

void LogTab::show(const OpenRun& run)
{
    const bool other = run.id() != m_runId;
    m_runId = run.id();
    m_folder = run.facts().folder;
    const bool goesOn = std::exchange(m_over, isFinal(run.series().status().state)) && !m_over;
    const int ranks =
        run.facts().spec ? run.facts().spec->layout.worldSize() : int(run.series().ranks().size());
    m_rank->setRange(0, std::max(0, ranks - 1));
    if (other)
        startOver();
    else if (goesOn)
        readMore();
}

void LogTab::setRank(int rank)
{
    m_rank->setValue(rank);
}

void LogTab::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    readMore();
}

void LogTab::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_again.stop();
}

void LogTab::startOver()
{
    ++m_generation;
    m_offset = -kFirstPiece;
    m_text->clear();
    m_state->setText(tr("reading…"));
    readMore();
}

void LogTab::readMore()
{
    if (!isVisible() || m_runId.isEmpty())
        return;
    if (QFile::exists(m_folder + QStringLiteral("/ranks")) || !m_hosts)
        return readFromFolder();
    const quint64 generation = m_generation;
    m_hosts->readLog(m_runId, m_rank->value(), m_offset, kPiece, this,
                     [this, generation](const Result<LogPiece>& piece) {
                         if (generation == m_generation)
                             take(piece);
                     });
}

void LogTab::readFromFolder()
{
    QFile file(m_folder + QStringLiteral("/ranks/%1.log").arg(m_rank->value(), 4, 10, QLatin1Char('0')));
    if (!file.open(QIODevice::ReadOnly))
        return take(badInput("this run's folder has no log of rank " + std::to_string(m_rank->value())));
    const qint64 from = m_offset < 0 ? std::max<qint64>(0, file.size() + m_offset) : m_offset;
    file.seek(from);
    take(LogPiece{from, file.read(kPiece)});
}

void LogTab::take(const Result<LogPiece>& piece)
{
    if (!piece.ok()) {
        m_state->setText(QString::fromStdString(piece.error().text()));
        m_state->setToolTip(toolTipOf(m_state->text()));
        m_again.start(kAgainMs);
        return;
    }
    append(piece->bytes);
    m_offset = piece->offset + piece->bytes.size();
    m_state->setText(m_text->document()->isEmpty() ? tr("the log is empty") : QString());
    if (!piece->bytes.isEmpty())
        m_again.start(0);
    else if (!m_over)
        m_again.start(kAgainMs);
}

void LogTab::append(const QByteArray& bytes)
{
    if (bytes.isEmpty())
        return;
    QTextCursor end(m_text->document());
    end.movePosition(QTextCursor::End);
    end.insertText(printable(bytes));
    if (m_follow->isChecked())
        m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->maximum());
}

void LogTab::findNext()
{
    m_follow->setChecked(false);
    if (m_text->find(m_find->text()))
        return;
    m_text->moveCursor(QTextCursor::Start);
    m_state->setText(m_text->find(m_find->text()) ? QString() : tr("not found"));
}

} // namespace trainyard
