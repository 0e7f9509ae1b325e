#include "app/workspace/page_frame.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/widgets/roles.h"
#include "app/workspace/message_bar.h"

namespace trainyard {

namespace {
constexpr int kBaselineShift = 5; ///< puts the sub-title on the title's baseline
}

PageFrame::PageFrame(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_subtitle(makeLabel({}, "muted"))
    , m_header(new QHBoxLayout)
    , m_messageBar(new MessageBar)
    , m_content(new QVBoxLayout)
{
    setRole(this, "page");
    m_header->setSpacing(metrics::kGap);
    m_header->addWidget(makeLabel(title, "title"));
    m_header->addSpacing(metrics::kGap);
    m_subtitle->setContentsMargins(0, kBaselineShift, 0, 0);
    m_header->addWidget(m_subtitle, 1, Qt::AlignVCenter);

    // The header is as high as a button, so that titles sit on one line in every page.
    auto* header = new QWidget;
    header->setFixedHeight(metrics::kControlHeight);
    m_header->setContentsMargins(0, 0, 0, 0);
    header->setLayout(m_header);

    m_content->setContentsMargins(0, 0, 0, 0);
    m_content->setSpacing(metrics::kGap);
    auto* column = columnLayout(
        this, metrics::kPanelPadding,
        {metrics::kPagePadding, metrics::kPanelPadding, metrics::kPagePadding, metrics::kPanelPadding});
    column->addWidget(header);
    column->addWidget(m_messageBar);
    column->addLayout(m_content, 1);
}

void PageFrame::setSubtitle(const QString& text)
{
    m_subtitle->setText(text);
}

void PageFrame::addAction(QWidget* widget)
{
    m_header->addWidget(widget, 0, Qt::AlignVCenter);
}

} // namespace trainyard
