#pragma once

#include "engine/base/result.h"

namespace trainyard {

class ProcessGroup;

/// Combines the results of all ranks: every rank returns success when all succeeded, otherwise the error of
/// the first failed rank, naming it and how many others failed. A failed rank must call it too, or the others
/// wait forever.
Status agree(ProcessGroup& group, const Status& mine);

} // namespace trainyard
