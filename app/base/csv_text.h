#pragma once

#include <QString>

namespace trainyard {

/// Quotes a field of a comma-separated table as in RFC 4180. Text that a spreadsheet would read as a formula
/// gets a ' in front, as OWASP advises against CSV injection; so does text that already has such a ', so that
/// withoutFormulaGuard() is exact. Numbers such as -0.5 stay numbers.
QString csvField(QString text);
/// The inverse of csvField() for a field without its quotation marks.
QString withoutFormulaGuard(const QString& field);
/// The shortest text that parses to the same number; "nan", "inf" and "-inf" for values that are not finite.
QString csvNumber(double value);

} // namespace trainyard
