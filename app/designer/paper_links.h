#pragma once

#include <QString>

namespace trainyard {

/// Plain text as HTML in which papers, written as "arXiv:" and their number, are links.
QString withPaperLinks(const QString& text);

} // namespace trainyard
