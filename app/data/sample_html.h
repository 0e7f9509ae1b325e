#pragma once

#include <QString>

#include "app/base/theme.h"
#include "app/data/model/sample_rows.h"

namespace trainyard {

/// Returns a training row as rich text: segment A on the window's colour, B on the accent's tint, each
/// masked word in bold as the expected prediction, followed by the model's input; each tagged word followed
/// by its label, an answer or completion on the warning's tint. Escapes untrusted text.
QString sampleHtml(const SampleRow& row, const ThemeColours& colours);
/// Returns the colour legend of a row; shorter for rows without a second segment or masks.
QString sampleLegendHtml(const SampleRow& row, const ThemeColours& colours);

} // namespace trainyard
