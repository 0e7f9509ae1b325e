#pragma once

#include <QString>

namespace trainyard {

/// Converts plain text to HTML in which papers ("arXiv:" and a number) are links.
QString withPaperLinks(const QString& text);

} // namespace trainyard
