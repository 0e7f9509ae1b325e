#include "app/workspace/panel_bar.h"

#include <QPainter>
#include <QToolButton>

#include "app/base/theme.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"

namespace trainyard {

namespace {
constexpr QSize kGripMark(32, 2);
constexpr QSize kIconSize(16, 16);
} // namespace

PanelBar::PanelBar(const QString& title, QWidget* parent) : QWidget(parent), m_content(new QWidget)
{
    setToolTip(tr("%1: drag to move, double-click to float").arg(title));
    auto* outer = rowLayout(this, -1);
    outer->addWidget(m_content);
    auto* row = rowLayout(m_content, 0, {metrics::kGap, 0, metrics::kHalf, 0});
    row->addWidget(makeLabel(title, "heading"), 1);
    QToolButton* floating = addButton(QStringLiteral("float"), tr("Float or dock %1").arg(title));
    QToolButton* close = addButton(QStringLiteral("close"), tr("Close %1").arg(title));
    connect(floating, &QToolButton::clicked, this, &PanelBar::floatRequested);
    connect(close, &QToolButton::clicked, this, &PanelBar::closeRequested);
    setFixedHeight(sizeHint().height());
}

QToolButton* PanelBar::addButton(const QString& icon, const QString& name)
{
    auto* button = new QToolButton;
    button->setIcon(symbolIcon(icon));
    button->setIconSize(kIconSize);
    button->setAccessibleName(name);
    button->setToolTip(name);
    button->setFocusPolicy(Qt::TabFocus);
    m_content->layout()->addWidget(button);
    return button;
}

void PanelBar::setFace(Face face)
{
    if (face == m_face)
        return;
    m_face = face;
    m_content->setVisible(face == Face::Title);
    setFixedHeight(sizeHint().height());
    updateGeometry();
}

QSize PanelBar::sizeHint() const
{
    switch (m_face) {
    case Face::None:
        return {0, 0};
    case Face::Grip:
        return {kGripMark.width(), metrics::kGap};
    case Face::Title:
        break;
    }
    return {m_content->sizeHint().width(), std::max(metrics::kControlHeight, m_content->sizeHint().height())};
}

void PanelBar::paintEvent(QPaintEvent*)
{
    if (m_face != Face::Grip)
        return;
    QRect mark({}, kGripMark);
    mark.moveCenter(rect().center());
    QPainter(this).fillRect(mark, coloursOf(palette()).border);
}

} // namespace trainyard
