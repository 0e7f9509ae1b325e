#pragma once

#include "datasets/tokenizer_json/row_tokenizer.h"
#include "datasets/verification/verification.h"

namespace trainyard {

/// Verifies a data set of labelled rows: the invariants that such rows have. `report` has the settings of the
/// manifest and what was found about the vocabulary. Cancelled if stopped.
Result<VerificationReport> verifyTask(const VerifyOptions& options, const Manifest& manifest,
                                      const RowTokenizer& tokenizer, VerificationReport report,
                                      Progress& progress, const CancelFlag& cancel);

} // namespace trainyard
