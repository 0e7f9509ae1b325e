#pragma once

#include "engine/planner/layout/shape.h"

namespace trainyard {

/// Sequences of that many tokens where nothing is known of their data set. BERT masks 15 % of them (Devlin et
/// al., arXiv:1810.04805, section 3.1); a decoder masks none, and predicts at every position.
SequenceShape sequencesOf(int length);

} // namespace trainyard
