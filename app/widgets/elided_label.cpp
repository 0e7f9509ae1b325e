#include "app/widgets/elided_label.h"

#include <QEvent>

#include "app/base/display_text.h"
#include "app/widgets/roles.h"

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
    updateGeometry();
    fit();
}

void ElidedLabel::setHelp(const QString& help)
{
    m_help = help;
    fit();
}

/// Of the whole text, whatever of it is shown.
QSize ElidedLabel::sizeHint() const
{
    const QMargins margins = contentsMargins();
    return {fontMetrics().horizontalAdvance(m_full) + margins.left() + margins.right() + 1,
            QLabel::sizeHint().height()};
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {0, QLabel::minimumSizeHint().height()};
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
