#pragma once

#include <QDateTime>
#include <QString>

#include "engine/base/units.h"

namespace trainyard {

/// Figures as people read them on screen: three significant digits, units, local time. A figure that does not
/// exist is an en dash.
QString displayNumber(double value);
/// "0.0823", "7.21": four significant digits, for losses, whose third digit is what one watches.
QString displayLoss(double value);
QString displayLarge(double value); ///< "336 million", "3.25 billion"; below a million as displayNumber()
QString displayCount(qint64 value); ///< all digits, thousands separated: "1 240"
/// The unit of a field beside its value: "files" is "file" beside 1, "passes" is "pass"; others stay.
QString displayUnit(qint64 value, const QString& unit);
QString displayBytes(double bytes);
QString displaySeconds(double seconds); ///< "0.82 s", "3 min 20 s"
QString displayPercent(double share);   ///< 0.827 -> "82.7 %"
/// "just now", "40 s ago", "12 min ago", "3 h ago", then the date.
QString displayAge(qint64 thenMs, qint64 nowMs);
QString displayTime(qint64 wallMs); ///< local, "2026-11-21 09:15:05"

/// Text that came from elsewhere, made harmless (engine/base/untrusted_text.h) for a one-line label.
QString oneLine(const QString& foreign);
/// The same for a tool tip, which Qt would otherwise take for HTML where it looks like it.
QString toolTipOf(const QString& foreign);

/// "93.1 GFLOP/s", "312 TFLOP/s": three significant digits. A figure that does not exist is an en dash.
QString displayOperations(double perSecond);

/// A tool tip whose sentences are broken into lines, which Qt does with HTML alone.
QString wrappedToolTip(const QString& text);

} // namespace trainyard
