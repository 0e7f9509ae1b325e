#pragma once

#include "engine/base/result.h"

namespace trainyard {

class ProcessGroup;

/// Every rank says how its part went; all learn the same: success when all succeeded, otherwise the error of
/// the first rank that failed, naming it and how many others failed too. A rank that fails must come here as
/// well, or the others would wait for it for ever.
Status agree(ProcessGroup& group, const Status& mine);

} // namespace trainyard
