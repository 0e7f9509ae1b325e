#pragma once

#include <QString>

#include "engine/spec/diagnostic.h"

namespace trainyard {

/// Returns the problem and its hint as the form shows them, with labels instead of paths.
QString sentenceOf(const Diagnostic& problem);
/// Returns the sentence of the first problem of exactly that field; empty if there is none.
QString problemAt(const Diagnostics& problems, const QString& path);

} // namespace trainyard
