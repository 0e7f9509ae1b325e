#include "app/widgets/number_box.h"

#include <QSignalBlocker>
#include <QWheelEvent>

#include "app/base/display_text.h"

namespace trainyard {

NumberBox::NumberBox(int low, int high, const QString& unit, QWidget* parent) : QSpinBox(parent), m_unit(unit)
{
    setRange(low, high);
    setFocusPolicy(Qt::StrongFocus);
    showUnit();
    connect(this, &QSpinBox::valueChanged, this, &NumberBox::showUnit);
}

void NumberBox::showUnit()
{
    const QString text = m_unit.isEmpty() ? QString() : QLatin1Char(' ') + displayUnit(value(), m_unit);
    if (text != suffix())
        setSuffix(text);
}

void NumberBox::showValue(int value)
{
    const QSignalBlocker blocker(this);
    if (value != this->value())
        setValue(value);
    showUnit();
}

QString NumberBox::textFromValue(int value) const
{
    return displayCount(value);
}

QString NumberBox::digitsOf(QString text) const
{
    if (text.endsWith(suffix()))
        text.chop(suffix().size());
    text.removeIf([](QChar c) { return c.isSpace(); });
    return text;
}

int NumberBox::valueFromText(const QString& text) const
{
    return digitsOf(text).toInt();
}

QValidator::State NumberBox::validate(QString& text, int&) const
{
    const QString digits = digitsOf(text);
    if (digits.isEmpty())
        return QValidator::Intermediate;
    bool ok = false;
    const qlonglong value = digits.toLongLong(&ok);
    if (!ok || value > maximum() || value < 0)
        return QValidator::Invalid;
    return value < minimum() ? QValidator::Intermediate : QValidator::Acceptable;
}

void NumberBox::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

} // namespace trainyard
