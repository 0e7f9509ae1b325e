#pragma once

#include <QString>

namespace trainyard {

/// A field of a comma-separated table (RFC 4180): quoted where it must be.
QString csvField(QString text);
/// The shortest text that gives the same number again; "nan", "inf" and "-inf" for what is not finite.
QString csvNumber(double value);

} // namespace trainyard
