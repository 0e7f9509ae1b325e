#pragma once

#include "app/designer/spec_field.h"

namespace trainyard {

/// Gives the rows that say more than one member of the specification, or say it in other words, what the
/// description alone does not: presets, family, ZeRO stage. Leaves all others alone.
void specialize(SpecField& field);

} // namespace trainyard
