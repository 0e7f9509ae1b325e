#pragma once

#include "engine/spec/foreign/conversion.h"
#include "engine/spec/foreign/explanation.h"

namespace trainyard {

/// Every field of `spec` that `carried` has another value for, explained from the table, else as what `tool`
/// has no setting for. Fields are JSON paths; a list counts as one field.
Omissions fieldsNotCarried(const RunSpec& spec, const RunSpec& carried, Explanations table,
                           std::string_view tool);

/// What a format's reader makes of `text` for a fresh specification, on the ranks of `spec`.
ImportBase freshBaseFor(const RunSpec& spec);

} // namespace trainyard
