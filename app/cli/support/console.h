#pragma once

#include <QJsonDocument>
#include <QString>
#include <QStringList>

#include "engine/base/result.h"

namespace trainyard::console {

/// One line of the result, on standard output.
void print(const QString& line);
/// A JSON document, alone on standard output.
void print(const QJsonDocument& document);
/// What is going on, on standard error. On a terminal a `transient` line is overwritten by the next one; in a
/// pipe it is left out.
void note(const QString& line);
void transient(const QString& line);
/// Prints `trainyard: warning: <text>` on standard error.
void warn(const QString& text);
/// Prints `trainyard: <what, where, what to do>` and gives the exit status for it.
int fail(const Error& error);
/// Returns 0 for success, else what fail() returns for the error.
int exitWith(const Status& status);

/// Columns aligned to their longest cell, two blanks apart; the first row is the heading.
QString table(const QList<QStringList>& rows);

} // namespace trainyard::console
