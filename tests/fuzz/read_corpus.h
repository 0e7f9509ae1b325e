#pragma once

#include "datasets/options/corpus_format.h"
#include "tests/support/fuzz/scratch_folder.h"

namespace trainyard {

/// Reads `bytes` as the only file of a corpus and parses what comes. Holds that documents are UTF-8, that the
/// pieces follow each other without a gap, and that reading goes on behind any of them with the same bytes.
void readCorpus(std::string_view bytes, CorpusFormat format);

} // namespace trainyard
