#pragma once

#include <QString>

#include "app/base/text_table_model.h"

namespace trainyard {

/// Translates a text of a field's description in engine/spec, or of the form; empty stays empty.
QString fieldText(const char* text);
/// Returns "s" for "seconds", because the labels are narrow.
QString shortUnit(const QString& unit);

/// Returns the form's label of the field or object at a JSON path: "Attention heads", "Parallelism", "Host 2:
/// slots"; the path itself if the form does not show it.
QString fieldLabel(const QString& path);
/// Returns `text` with each JSON path replaced by its label in quotation marks.
QString withFieldLabels(const QString& text);
/// Returns a table of fields as the window shows it: the first column has labels instead of the JSON paths,
/// which become the tool tips, and the other columns have the form's word for a 0 that means off.
TextTable withFieldLabels(TextTable table);

} // namespace trainyard
