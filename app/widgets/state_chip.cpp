#include "app/widgets/state_chip.h"

#include <QEvent>
#include <QLabel>

#include "app/widgets/roles.h"

namespace trainyard {

StateChip::StateChip(const QString& accessibleName, QWidget* parent)
    : QFrame(parent), m_name(accessibleName), m_word(makeLabel({})), m_subject(makeLabel({}, "muted"))
{
    setRole(this, "chip");
    setFixedHeight(24);
    auto* row = rowLayout(this, metrics::kGap, {10, 0, 10, 0});
    row->addWidget(m_word);
    row->addWidget(m_subject);
    hide();
}

void StateChip::setState(Tone tone, QChar shape, const QString& word, const QString& subject)
{
    m_tone = tone;
    m_word->setText(QString(shape) + QLatin1Char(' ') + word);
    m_subject->setText(subject);
    m_subject->setVisible(!subject.isEmpty());
    setAccessibleName(QStringLiteral("%1: %2 %3").arg(m_name, word, subject));
    recolour();
    show();
}

void StateChip::clear()
{
    hide();
}

void StateChip::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        recolour();
    QFrame::changeEvent(event);
}

void StateChip::recolour()
{
    const QColor colour = textColour(m_tone, coloursOf(palette()));
    m_word->setStyleSheet(QStringLiteral("color: %1").arg(colour.name()));
}

} // namespace trainyard
