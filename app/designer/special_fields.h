#pragma once

#include "app/designer/spec_field.h"

namespace trainyard {

// Fields that say more than one member of the specification, or say it in other words.

SpecField presetField();
SpecField familyField();    ///< with all that follows from the family
SpecField seedField();      ///< as text: 64 bits
SpecField placementField(); ///< all orders of the axes
SpecField partitionField(); ///< what is made equal, or the layers of each stage
SpecField zeroStageField();
SpecField bucketSizeField();
SpecField gracePeriodField();
SpecField timeLimitField();
SpecField warningField();
SpecField backoffField();

} // namespace trainyard
