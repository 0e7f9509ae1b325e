#include "datasets/prepare/document_split.h"

#include "datasets/pretraining/counter_random.h"

namespace trainyard {

DocumentSplit splitDocuments(const DocumentStore& documents, double testFraction, std::uint64_t seed)
{
    DocumentSplit split;
    for (std::uint32_t ordinal = 0; ordinal < documents.size(); ++ordinal) {
        const std::uint64_t id = documents.pageId(ordinal);
        CounterRandom random(seed, RandomStream::Split, static_cast<std::uint32_t>(id),
                             static_cast<std::uint32_t>(id >> 32));
        (random.uniform() < testFraction ? split.test : split.training).push_back(ordinal);
    }
    return split;
}

} // namespace trainyard
