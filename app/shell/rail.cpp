#include "app/shell/rail.h"

#include <QKeySequence>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"
#include "app/workspace/page.h"

namespace trainyard {

namespace {
constexpr int kRailWidth = 80;
constexpr int kButtonHeight = 64;
constexpr QSize kIconSize(24, 24);
} // namespace

Rail::Rail(QWidget* parent) : QFrame(parent), m_pages(new QVBoxLayout), m_footer(new QVBoxLayout)
{
    setRole(this, "rail");
    setAccessibleName(tr("Pages"));
    setFixedWidth(kRailWidth);
    m_pages->setSpacing(metrics::kHalf);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kGap, metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding);
    column->addLayout(m_pages);
    column->addStretch(1);
    column->addLayout(m_footer);
}

void Rail::addPage(const Page& page, const QKeySequence& shortcut)
{
    auto* button = new QToolButton;
    button->setText(page.title());
    button->setIcon(symbolIcon(page.iconName()));
    button->setIconSize(kIconSize);
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setCheckable(true);
    button->setAutoExclusive(true);
    button->setFixedHeight(kButtonHeight);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setAccessibleName(page.title());
    button->setToolTip(
        QStringLiteral("%1 (%2)").arg(page.title(), shortcut.toString(QKeySequence::NativeText)));
    const int index = static_cast<int>(m_buttons.size());
    connect(button, &QToolButton::clicked, this, [this, index] { emit chosen(index); });
    m_pages->addWidget(button);
    m_buttons.push_back(button);
}

void Rail::addFooter(QToolButton* button)
{
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setFixedHeight(metrics::kControlHeight);
    m_footer->addWidget(button);
}

void Rail::setCurrent(int index)
{
    m_buttons[static_cast<std::size_t>(index)]->setChecked(true);
}

} // namespace trainyard
