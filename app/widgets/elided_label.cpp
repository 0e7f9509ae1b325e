#include "app/widgets/elided_label.h"

#include <QEvent>

#include "app/widgets/roles.h"
#include "app/widgets/wrapped_tool_tip.h"

namespace trainyard {

ElidedLabel::ElidedLabel(const char* role, Qt::TextElideMode mode, QWidget* parent)
    : QLabel(parent), m_mode(mode)
{
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    if (role)
        setRole(this, role);
}

void ElidedLabel::setFullText(const QString& text)
{
    m_full = text;
    setAccessibleName(text);
    fit();
}

void ElidedLabel::setHelp(const QString& help)
{
    m_help = help;
    fit();
}

void ElidedLabel::resizeEvent(QResizeEvent* event)
{
    QLabel::resizeEvent(event);
    fit();
}

void ElidedLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fit();
}

void ElidedLabel::fit()
{
    const QString shown = fontMetrics().elidedText(m_full, m_mode, contentsRect().width());
    if (shown != text())
        setText(shown);
    QStringList told;
    if (shown != m_full)
        told << m_full;
    if (!m_help.isEmpty())
        told << m_help;
    setToolTip(told.isEmpty() ? QString() : wrappedToolTip(told.join(QLatin1Char('\n'))));
}

} // namespace trainyard
