#pragma once

#include <functional>
#include <span>

#include "datasets/pretraining/documents.h"
#include "datasets/pretraining/instance.h"
#include "datasets/pretraining/masking.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// Builds rows of sentences with masks as NVIDIA's create_pretraining_data.py does, with these differences:
/// random numbers depend only on (seed, document, pass), and a random next sentence never comes from the same
/// document: if there is no other document, chunks of one sentence yield no row and the others the true next
/// sentence.
///
/// With NextSentence::Swap and Follow, both sides come from the same document. Chunks then have at least two
/// sentences, and a single remaining sentence joins the chunk before it; only documents of one sentence yield
/// no row. With Objective::Masked a row has one side. Immutable; any thread may use it.
class InstanceBuilder {
public:
    /// `partners` are the ordinals that random next sentences are drawn from (the documents of the same
    /// split); it must contain every document that is built. All references must outlive the builder.
    InstanceBuilder(const InstanceSettings& settings, const DocumentSource& documents,
                    std::span<const std::uint32_t> partners, const Vocabulary& vocabulary);

    /// Calls sink(instance, number) for every row of one document in one pass, number = 0, 1, 2, ... `place`
    /// is the index of the document in `partners`. Returns the number of chunks without a row. The sink may
    /// move from the instance, which is reused for the next row.
    using Sink = std::function<void(Instance&&, std::uint32_t number)>;
    std::uint64_t build(std::size_t place, std::uint32_t pass, const Sink& sink) const;

private:
    struct Chunk;
    class Pass;

    const InstanceSettings& m_settings;
    const DocumentSource& m_documents;
    std::span<const std::uint32_t> m_partners;
    const SpecialTokens& m_special;
    TokenMasker m_masker;
};

} // namespace trainyard
