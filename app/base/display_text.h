#pragma once

#include <string_view>

#include <QDateTime>
#include <QString>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace trainyard {

/// Converts text in UTF-8, such as the name of an enumerator.
inline QString toQString(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Numbers as shown on screen: three significant digits, units, local time. Unknown values are en dashes.
QString displayNumber(double value);
/// "0.0823", "7.21": four significant digits, for losses, whose third digit matters.
QString displayLoss(double value);
QString displayLarge(double value); ///< "336 million", "3.25 billion"; below a million as displayNumber()
QString displayCount(qint64 value); ///< all digits, thousands separated: "1 240"
/// "1 rank", "1 240 ranks". `noun`: singular and regular (engine/base/counted.h).
QString displayCounted(qint64 value, const char* noun);
/// The unit of a field in the number of its value: "files" becomes "file" for 1, "passes" becomes "pass".
QString displayUnit(qint64 value, const QString& unit);
QString displayBytes(double bytes);
QString displaySeconds(double seconds); ///< "0.82 s", "3 min 20 s"
QString displayPercent(double share);   ///< 0.827 -> "82.7 %"
/// A change by this factor: "+12.3 %", "× 2.5" from two on, as higher percentages are hard to read, "=" if it
/// rounds to none.
QString displayChange(double factor);
/// "just now", "40 s ago", "12 min ago", "3 h ago", then the date.
QString displayAge(qint64 thenMs, qint64 nowMs);
QString displayTime(qint64 wallMs); ///< local, "2026-11-21 09:15:05"

/// Untrusted text, sanitized (engine/base/untrusted_text.h) for a one-line label.
QString oneLine(const QString& foreign);
/// The same for a tool tip, where Qt would interpret HTML.
QString toolTipOf(const QString& foreign);

/// A text of an error by itself, which begins in lower case unless a name does: "cannot read x" -> "Cannot
/// read x"; "gpu-03: no route" stays.
QString asSentence(const QString& text);
/// Message and hint as the command line prints them, as a sentence.
QString displayError(const Error& error);

/// "93.1 GFLOP/s", "312 TFLOP/s": three significant digits. Unknown values are en dashes.
QString displayOperations(double perSecond);

/// Whether each of the words is somewhere in the text, whatever its case: how lists are narrowed by typing.
bool hasAllWords(const QString& text, const QStringList& words);

/// A tool tip with wrapped lines; Qt wraps only HTML.
QString wrappedToolTip(const QString& text);

} // namespace trainyard
