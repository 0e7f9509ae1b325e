#include "tests/fuzz/read_corpus.h"

using namespace trainyard;

/// The format by the first byte, then the text of a corpus that is no export; "0" lets the reader find the
/// format.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr CorpusFormat kFormats[] = {CorpusFormat::Auto, CorpusFormat::WikiExtractor,
                                         CorpusFormat::Articles, CorpusFormat::Sentences,
                                         CorpusFormat::JsonLines};
    if (size > 0)
        readCorpus(bytesOf(data + 1, size - 1), kFormats[data[0] % std::size(kFormats)]);
    return 0;
}
