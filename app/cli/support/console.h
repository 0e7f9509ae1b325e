#pragma once

#include <QJsonDocument>
#include <QString>
#include <QStringList>

#include "engine/base/result.h"

namespace trainyard::console {

/// Prints a line of the result on standard output.
void print(const QString& line);
/// Prints a JSON document on standard output.
void print(const QJsonDocument& document);
/// Print progress on standard error. On a terminal the next line overwrites a `transient` one; in a pipe
/// transient lines are dropped.
void note(const QString& line);
void transient(const QString& line);
/// Prints `trainyard: warning: <text>` on standard error.
void warn(const QString& text);
/// Prints `trainyard: <what, where, what to do>` and returns the exit status of the error.
int fail(const Error& error);
/// Returns 0 for success, else what fail() returns for the error.
int exitWith(const Status& status);
/// Returns the exit status, or what fail() returns for the error.
int exitWith(const Result<int>& status);

/// A number as in tables: three significant digits.
QString number(double value);
/// 0.827 -> "82.7 %".
QString percent(double share);
/// Aligns columns, two spaces apart; the first row is the header.
QString table(const QList<QStringList>& rows);

} // namespace trainyard::console
