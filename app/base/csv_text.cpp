#include "app/base/csv_text.h"

#include <algorithm>

#include <QLocale>

namespace trainyard {

namespace {

constexpr QLatin1Char kFormulaGuard('\'');

/// https://owasp.org/www-community/attacks/CSV_Injection, with the wide forms that some languages type.
bool beginsFormula(QStringView text)
{
    static const QString kBeginnings = QStringLiteral("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20");
    return !text.isEmpty() && kBeginnings.contains(text.front());
}

/// A formula behind any number of guards.
bool isGuardedFormula(QStringView text)
{
    const auto first = std::find_if(text.begin(), text.end(), [](QChar c) { return c != kFormulaGuard; });
    return beginsFormula(text.mid(first - text.begin()));
}

bool isNumber(const QString& text)
{
    bool isOne = false;
    text.toDouble(&isOne);
    return isOne;
}

bool needsQuotes(const QString& text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) {
        return c == QLatin1Char(',') || c == QLatin1Char('"') || c == QLatin1Char('\n') ||
               c == QLatin1Char('\r');
    });
}

} // namespace

QString csvField(QString text)
{
    if (isGuardedFormula(text) && !isNumber(text))
        text.prepend(kFormulaGuard);
    if (!needsQuotes(text))
        return text;
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
}

QString withoutFormulaGuard(const QString& field)
{
    return field.startsWith(kFormulaGuard) && isGuardedFormula(field) ? field.mid(1) : field;
}

QString csvNumber(double value)
{
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

} // namespace trainyard
