#pragma once

#include <QString>

#include "app/base/theme.h"
#include "app/data/model/sample_rows.h"

namespace trainyard {

/// A training row as rich text: segment A on the window's tone, B on the accent's tint; a masked word in bold
/// as the model shall predict it, followed by what the model sees instead. Foreign text is escaped.
QString sampleHtml(const SampleRow& row, const ThemeColours& colours);
/// What the colours of this row mean; rows without a second segment or without masks have fewer.
QString sampleLegendHtml(const SampleRow& row, const ThemeColours& colours);

} // namespace trainyard
