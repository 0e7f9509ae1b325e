#include "datasets/prepare/mixture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "datasets/pretraining/counter_random.h"

namespace trainyard {

namespace {

constexpr double kMaxPasses = 1000; // as --dupe

/// The training documents of one input, as places in their list.
struct Share {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint64_t tokens = 0;
};

/// `training` is in the order of the corpus, as the inputs are.
std::vector<Share> sharesOf(const DocumentStore& documents, std::span<const std::uint32_t> training)
{
    std::vector<Share> shares;
    std::size_t place = 0;
    std::uint64_t documentsBefore = 0;
    for (const std::uint64_t size : documents.sources()) {
        documentsBefore += size;
        Share share{place, place, 0};
        for (; share.end < training.size() && training[share.end] < documentsBefore; ++share.end)
            share.tokens += documents.length(training[share.end]);
        place = share.end;
        shares.push_back(share);
    }
    return shares;
}

class Mixing {
public:
    Mixing(const PrepareOptions& options, const DocumentStore& documents,
           std::span<const std::uint32_t> training)
        : m_options(options), m_documents(documents), m_training(training), m_passes(training.size())
    {
    }

    Result<Mixture> run()
    {
        std::vector<Share> shares = sharesOf(m_documents, m_training);
        shares.resize(m_options.weights.size()); // the last inputs may have no documents
        const double weights = std::accumulate(m_options.weights.begin(), m_options.weights.end(), 0.0);
        double tokens = 0;
        for (const Share& share : shares)
            tokens += static_cast<double>(share.tokens) * m_options.dupeFactor;
        std::vector<MixedSource> sources;
        for (std::size_t i = 0; i < shares.size(); ++i) {
            TRAINYARD_TRY(const double passes,
                          passesOf(shares[i], i, tokens * m_options.weights[i] / weights));
            takePasses(shares[i], passes);
            sources.push_back(describe(shares[i], i));
        }
        return Mixture{PassCounts(std::move(m_passes)), std::move(sources)};
    }

private:
    Result<double> passesOf(const Share& share, std::size_t input, double tokens) const
    {
        if (share.tokens == 0)
            return badInput(fmt::format("input {} of --weights has no documents for training", input + 1),
                            "leave it out, or use a smaller --test-fraction");
        const double passes = tokens / static_cast<double>(share.tokens);
        if (passes > kMaxPasses)
            return badInput(
                fmt::format("input {} of --weights has {} tokens, which its share would repeat {:.0f} times",
                            input + 1, share.tokens, passes),
                "use a smaller weight for it, or a smaller --dupe");
        return passes;
    }

    void takePasses(const Share& share, double passes)
    {
        const double complete = std::floor(passes);
        std::fill(m_passes.begin() + static_cast<std::ptrdiff_t>(share.begin),
                  m_passes.begin() + static_cast<std::ptrdiff_t>(share.end),
                  static_cast<std::uint32_t>(complete));
        double left = (passes - complete) * static_cast<double>(share.tokens);
        for (const std::size_t place : shuffled(share)) {
            const double length = m_documents.length(m_training[place]);
            if (left < length / 2)
                return;
            left -= length;
            ++m_passes[place];
        }
    }

    std::vector<std::size_t> shuffled(const Share& share) const
    {
        std::vector<std::pair<std::uint64_t, std::size_t>> keyed;
        for (std::size_t place = share.begin; place < share.end; ++place)
            keyed.emplace_back(
                CounterRandom(m_options.instances.seed, RandomStream::Mixture, m_training[place], 0)
                    .doubleWord(),
                place);
        std::sort(keyed.begin(), keyed.end());
        std::vector<std::size_t> places;
        for (const auto& [key, place] : keyed)
            places.push_back(place);
        return places;
    }

    MixedSource describe(const Share& share, std::size_t input) const
    {
        MixedSource source;
        source.weight = m_options.weights[input];
        source.documents = share.end - share.begin;
        source.tokens = share.tokens;
        for (std::size_t place = share.begin; place < share.end; ++place) {
            source.mixedDocuments += m_passes[place];
            source.mixedTokens += std::uint64_t{m_passes[place]} * m_documents.length(m_training[place]);
        }
        return source;
    }

    const PrepareOptions& m_options;
    const DocumentStore& m_documents;
    std::span<const std::uint32_t> m_training;
    std::vector<std::uint32_t> m_passes; ///< of each training document
};

} // namespace

Result<Mixture> mixtureOf(const PrepareOptions& options, const DocumentStore& documents,
                          std::span<const std::uint32_t> training)
{
    if (options.weights.empty())
        return Mixture{PassCounts(static_cast<std::uint32_t>(options.dupeFactor))};
    return Mixing(options, documents, training).run();
}

} // namespace trainyard
