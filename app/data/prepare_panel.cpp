#include "app/data/prepare_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/data/model/preparation_counters.h"
#include "app/data/stage_row.h"
#include "app/hosts/model/host_entry.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"
#include "app/widgets/state_chip.h"

namespace trainyard {

namespace {

QString nameOfHost(const QString& host)
{
    return host == thisMachine() ? PreparePanel::tr("this machine") : oneLine(host);
}

QString roomText(const StageProgress& progress, Bytes limit)
{
    QStringList parts;
    if (const auto used = progress.memory())
        parts << PreparePanel::tr("memory %1 of %2")
                     .arg(displayBytes(double(*used)), displayBytes(double(limit)));
    if (const auto free = progress.diskFree())
        parts << PreparePanel::tr("%1 free on disk").arg(displayBytes(double(*free)));
    return parts.join(QStringLiteral("  ·  "));
}

/// "Pages read 6 912 044  ·  Redirects 1 203  ·  …"
QString counterLine(const TextTable& counters)
{
    QStringList parts;
    for (const QStringList& row : counters.rows) {
        if (row[1] != QLatin1String("0"))
            parts << row[0] + QChar(QChar::Nbsp) + row[1]; // a number stays with its name
    }
    return parts.join(QStringLiteral("  ·  "));
}

/// The same with what the words mean.
QString counterTip(const TextTable& counters)
{
    QStringList lines;
    for (const QStringList& row : counters.rows)
        lines << (row[2].isEmpty() ? row[0] + QStringLiteral(": ") + row[1]
                                   : PreparePanel::tr("%1: %2. %3").arg(row[0], row[1], row[2]));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

PreparePanel::PreparePanel(QWidget* parent)
    : QFrame(parent)
    , m_title(new ElidedLabel("heading"))
    , m_left(new ElidedLabel("muted"))
    , m_link(new StateChip(tr("Link")))
    , m_cancel(makeButton(tr("Cancel")))
    , m_stages(new StageRow)
    , m_room(makeLabel({}, "muted"))
    , m_counters(makeLabel({}, "muted"))
{
    setRole(this, "panel");
    auto* header = new QHBoxLayout;
    header->setSpacing(metrics::kPanelPadding);
    header->addWidget(m_title, 1);
    header->addWidget(m_left, 1);
    header->addWidget(m_link);
    header->addWidget(m_cancel);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding,
                               metrics::kPanelPadding);
    column->setSpacing(metrics::kGap);
    column->addLayout(header);
    column->addWidget(m_stages);
    m_counters->setWordWrap(true);
    auto* below = new QHBoxLayout;
    below->setSpacing(3 * metrics::kGap);
    below->addWidget(m_counters, 1);
    below->addWidget(m_room, 0, Qt::AlignTop);
    column->addLayout(below);
    connect(m_cancel, &QPushButton::clicked, this, &PreparePanel::cancelRequested);
    hide();
}

void PreparePanel::begin(const PrepareRequest& request)
{
    const QString title = tr("Preparing %1 on %2").arg(jobName(request), nameOfHost(request.host));
    QStringList readers;
    for (const QString& reader : request.readers)
        readers << nameOfHost(reader);
    m_title->setFullText(
        readers.isEmpty() ? title : tr("%1, read by %2").arg(title, readers.join(QStringLiteral(", "))));
    m_limit = request.memoryBytes;
    m_left->setFullText({});
    m_link->clear();
    m_cancel->setEnabled(true);
    setProgress({});
    show();
}

void PreparePanel::setStarting(const QString& text)
{
    m_left->setFullText(text);
}

void PreparePanel::setProgress(const StageProgress& progress)
{
    m_stages->setProgress(progress);
    const double left = progress.secondsLeft();
    m_left->setFullText(left < 0 ? QString() : tr("%1 left").arg(displaySeconds(left)));
    m_room->setText(roomText(progress, m_limit));
    const TextTable counters = counterTable(progress.counters());
    m_counters->setText(counterLine(counters));
    m_counters->setToolTip(toolTipOf(counterTip(counters)));
}

void PreparePanel::setLink(LinkState link)
{
    if (link == LinkState::Lost)
        m_link->setState(Tone::Warning, u'◌', tr("link lost, the job continues"));
    else
        m_link->clear();
}

void PreparePanel::setStopping()
{
    m_cancel->setEnabled(false);
    m_left->setFullText(tr("stopping; nothing will be published"));
}

} // namespace trainyard
