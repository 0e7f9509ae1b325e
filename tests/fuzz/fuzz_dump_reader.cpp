#include "tests/fuzz/read_corpus.h"

/// The bytes of a MediaWiki export, as they are, compressed or in UTF-16.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    trainyard::readCorpus(trainyard::bytesOf(data, size), trainyard::CorpusFormat::MediaWiki);
    return 0;
}
