#pragma once

#include <QString>

namespace trainyard {

/// A text as a field of a comma-separated table (RFC 4180): quoted where it must be. A text that a
/// spreadsheet would take for a formula gets a ' in front, as OWASP advises against CSV injection, and so
/// does one that already has such a ', so that withoutFormulaGuard() gives back what it was. Numbers such as
/// -0.5 stay numbers.
QString csvField(QString text);
/// What csvField() was given, of a field without its quotation marks.
QString withoutFormulaGuard(const QString& field);
/// The shortest text that gives the same number again; "nan", "inf" and "-inf" for what is not finite.
QString csvNumber(double value);

} // namespace trainyard
