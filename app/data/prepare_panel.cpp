#include "app/data/prepare_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/models/display_text.h"
#include "app/models/host_entry.h"
#include "app/models/theme.h"
#include "app/widgets/roles.h"
#include "app/widgets/stage_row.h"
#include "app/widgets/state_chip.h"

namespace trainyard {

PreparePanel::PreparePanel(QWidget* parent)
    : QFrame(parent)
    , m_title(makeLabel({}, "heading"))
    , m_left(makeLabel({}, "muted"))
    , m_link(new StateChip(tr("Link")))
    , m_cancel(makeButton(tr("Cancel")))
    , m_stages(new StageRow)
{
    setRole(this, "panel");
    auto* header = new QHBoxLayout;
    header->setSpacing(metrics::kPanelPadding);
    header->addWidget(m_title);
    header->addWidget(m_left, 1);
    header->addWidget(m_link);
    header->addWidget(m_cancel);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding,
                               metrics::kPanelPadding);
    column->setSpacing(metrics::kGap);
    column->addLayout(header);
    column->addWidget(m_stages);
    connect(m_cancel, &QPushButton::clicked, this, &PreparePanel::cancelRequested);
    hide();
}

void PreparePanel::begin(const PrepareOptions& options)
{
    const QString host = options.host == thisMachine() ? tr("this machine") : options.host;
    m_title->setText(tr("Preparing %1 on %2").arg(jobName(options), host));
    m_left->clear();
    m_link->clear();
    m_cancel->setEnabled(true);
    m_stages->setProgress({});
    show();
}

void PreparePanel::setStarting(const QString& text)
{
    m_left->setText(text);
}

void PreparePanel::setProgress(const StageProgress& progress)
{
    m_stages->setProgress(progress);
    const double left = progress.secondsLeft();
    m_left->setText(left < 0 ? QString() : tr("%1 left").arg(displaySeconds(left)));
}

void PreparePanel::setLink(LinkState link)
{
    if (link == LinkState::Lost)
        m_link->setState(Tone::Warning, u'◌', tr("link lost, the job goes on"));
    else
        m_link->clear();
}

void PreparePanel::setStopping()
{
    m_cancel->setEnabled(false);
    m_left->setText(tr("stopping; nothing will be published"));
}

} // namespace trainyard
