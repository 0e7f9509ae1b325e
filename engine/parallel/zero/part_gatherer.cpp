#include "engine/parallel/zero/part_gatherer.h"

#include <algorithm>

#include "engine/comm/phase_clock.h"
#include "engine/comm/process_group.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/tensor_memory.h"

namespace trainyard {

namespace {

bool contains(const std::vector<std::size_t>& buckets, std::size_t bucket)
{
    return std::ranges::find(buckets, bucket) != buckets.end();
}

} // namespace

PartGatherer::PartGatherer(ParameterStore& parameters, Holders holders, const ModelSpec& model)
    : m_parameters(parameters)
    , m_holders(holders)
    , m_buckets(static_cast<std::size_t>(model.layers) + 2)
    , m_works(parameters.layout().buckets().size())
{
    TRAINYARD_CHECK(parameters.weights().residence() == WeightResidence::Sharded);
    TRAINYARD_CHECK(parameters.layout().sharding().bucketPerPart);
    for (std::size_t bucket = 0; bucket < m_works.size(); ++bucket) {
        const int part = parameters.layout().buckets()[bucket].part;
        m_buckets.at(static_cast<std::size_t>(part - kEmbeddingsPart)).push_back(bucket);
    }
    if (model.sharesWordsWithHead()) // multiplies with the word embeddings
        m_buckets.back().insert(m_buckets.back().end(), m_buckets.front().begin(), m_buckets.front().end());
}

// Nobody uses the weights any more, but what is under way still writes to their memory.
PartGatherer::~PartGatherer()
{
    for (Work& work : m_works) {
        try {
            work.wait();
        } catch (const CommunicationError&) { // whoever needed the group was told
        }
    }
}

const std::vector<std::size_t>& PartGatherer::bucketsOf(int part) const
{
    static const std::vector<std::size_t> none;
    const auto index = static_cast<std::size_t>(part - kEmbeddingsPart);
    return index < m_buckets.size() ? m_buckets[index] : none;
}

void PartGatherer::enter(int part, Direction direction)
{
    const std::vector<std::size_t>& now = bucketsOf(part);
    const std::vector<std::size_t>& next = bucketsOf(direction == Direction::Forward ? part + 1 : part - 1);
    // Released before the next part is gathered: at most two parts of the weights are there at once.
    for (std::size_t bucket = 0; bucket < m_works.size(); ++bucket) {
        if (!contains(now, bucket) && !contains(next, bucket))
            release(bucket);
    }
    const PhaseScope phase(StepPhase::Reduce);
    for (const std::size_t bucket : now)
        start(bucket);
    // One part ahead: it comes while this one computes.
    for (const std::size_t bucket : next)
        start(bucket);
    for (const std::size_t bucket : now)
        m_works[bucket].wait();
}

void PartGatherer::start(std::size_t bucket)
{
    if (m_parameters.weights().isThere(bucket))
        return;
    m_parameters.placeOwnedWeights(bucket);
    const bool ofExperts = m_parameters.layout().buckets()[bucket].isOfExperts;
    m_works[bucket] = m_holders.of(ofExperts).gatherAsync(memoryOf(m_parameters.weights().bucket(bucket)));
}

void PartGatherer::release(std::size_t bucket)
{
    m_works[bucket].wait();
    m_parameters.weights().release(bucket);
}

void PartGatherer::releaseAll()
{
    for (std::size_t bucket = 0; bucket < m_works.size(); ++bucket)
        release(bucket);
}

} // namespace trainyard
