#include "app/widgets/input_boxes.h"

#include <algorithm>
#include <cmath>

#include <QSignalBlocker>
#include <QWheelEvent>

#include "app/base/display_text.h"

namespace trainyard {

namespace {
constexpr int kShortest = 8; // characters
}

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(kShortest);
}

void ChoiceBox::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

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

QString NumberBox::withoutSuffix(const QString& text) const
{
    return text.endsWith(suffix()) ? text.chopped(suffix().size()) : text;
}

QString NumberBox::digitsOf(const QString& text) const
{
    QString digits = withoutSuffix(text);
    digits.removeIf([](QChar c) { return c.isSpace(); });
    return digits;
}

int NumberBox::valueFromText(const QString& text) const
{
    return digitsOf(text).toInt();
}

QValidator::State NumberBox::validate(QString& text, int& position) const
{
    const QString word = specialValueText();
    if (!word.isEmpty() && text == word)
        return QValidator::Acceptable;
    if (!word.isEmpty() && text.startsWith(word)) { // digits replace it
        text.remove(0, word.size());
        position = std::max(0, position - int(word.size()));
    }
    if (!word.isEmpty() && word.startsWith(withoutSuffix(text))) { // the first letter deleted deletes all
        text = suffix();
        position = 0;
    }
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

namespace {

constexpr double kMaxGibibytes = 1 << 20;
constexpr int kDecimals = 6; ///< about a KiB

double gibibytes(Bytes bytes)
{
    return static_cast<double>(bytes) / static_cast<double>(kGiB);
}

} // namespace

DecimalBox::DecimalBox(double low, double high, double step, QWidget* parent) : QDoubleSpinBox(parent)
{
    setRange(low, high);
    setSingleStep(step);
    setFocusPolicy(Qt::StrongFocus);
}

void DecimalBox::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

MemoryBox::MemoryBox(QWidget* parent) : QDoubleSpinBox(parent)
{
    setLocale(QLocale::c());
    setDecimals(kDecimals);
    setRange(0, kMaxGibibytes);
    setSpecialValueText(tr("none")); // of 0
    setFocusPolicy(Qt::StrongFocus);
    connect(this, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        emit bytesChanged(static_cast<Bytes>(std::llround(value * static_cast<double>(kGiB))));
    });
}

void MemoryBox::showBytes(Bytes bytes)
{
    const QSignalBlocker blocker(this);
    if (std::abs(gibibytes(bytes) - value()) > std::pow(10, -kDecimals))
        setValue(gibibytes(bytes));
}

QString MemoryBox::textFromValue(double gibibytes) const
{
    return locale().toString(gibibytes, 'g', kDecimals);
}

void MemoryBox::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

} // namespace trainyard
