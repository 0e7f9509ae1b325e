#include "engine/generation/generator.h"

#include <algorithm>

#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include "engine/generation/token_tensors.h"
#include "engine/nn/key_value_cache.h"
#include "engine/nn/language_model.h"

namespace trainyard {

namespace {

/// As many share the reading of the weights; more would need more memory for their caches.
constexpr std::ptrdiff_t kPromptsAtOnce = 16;

/// A prompt that grows.
struct Sequence {
    std::size_t prompt = 0; ///< its number among all prompts
    TokenIds tokens;
    std::size_t length = 0;   ///< at which it ends
    std::size_t computed = 0; ///< of its tokens, those whose keys and values are cached
};

/// The packed batch of those tokens of the sequences that are not computed yet; asks for the logits behind
/// the last one of each.
TokenBatch nextTokensOf(const std::vector<Sequence*>& sequences, const std::vector<std::size_t>& numbers)
{
    TokenIds ids, positions, last;
    TokenBatch batch;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        const Sequence& each = *sequences[i];
        for (std::size_t position = each.computed; position < each.tokens.size(); ++position) {
            ids.push_back(each.tokens[position]);
            positions.push_back(static_cast<std::int64_t>(position));
        }
        const auto length = static_cast<std::int64_t>(each.tokens.size() - each.computed);
        last.push_back(std::ssize(ids) - 1);
        batch.packedLengths.push_back(length);
        batch.packedFrom = std::max(batch.packedFrom, length);
        batch.sampleIndices.push_back(numbers[i]);
    }
    batch.inputIds = tensorOf(ids);
    batch.positionIds = tensorOf(positions);
    batch.tokenTypeIds = at::zeros_like(batch.inputIds);
    batch.targetPositions = tensorOf(last);
    return batch;
}

/// A few prompts that are continued together.
class Continuation {
public:
    Continuation(const LanguageModel& model, const GenerationOptions& options, const OnNewToken& onToken,
                 std::vector<Sequence> sequences)
        : m_model(model)
        , m_options(options)
        , m_sampler(options.sampling)
        , m_onToken(onToken)
        , m_sequences(std::move(sequences))
        , m_cache(model.spec().layers, capacities(m_sequences))
    {
    }

    /// False when onToken ended it.
    Result<bool> run()
    {
        const c10::AutoGradMode noGraph(false);
        for (;;) {
            std::vector<Sequence*> growing;
            std::vector<std::size_t> numbers;
            for (std::size_t i = 0; i < m_sequences.size(); ++i) {
                if (isGrowing(m_sequences[i])) {
                    growing.push_back(&m_sequences[i]);
                    numbers.push_back(i);
                }
            }
            if (growing.empty())
                return true;
            TRAINYARD_TRY(const bool goesOn, grow(growing, numbers));
            if (!goesOn)
                return false;
        }
    }

    const std::vector<Sequence>& sequences() const { return m_sequences; }

private:
    // The last token of a sequence is never read.
    static std::vector<std::int64_t> capacities(const std::vector<Sequence>& sequences)
    {
        std::vector<std::int64_t> all;
        for (const Sequence& each : sequences)
            all.push_back(static_cast<std::int64_t>(std::max<std::size_t>(each.length, 1)) - 1);
        return all;
    }

    bool isGrowing(const Sequence& sequence) const
    {
        const bool hasEnded =
            sequence.computed > 0 && std::ranges::count(m_options.endTokens, sequence.tokens.back()) > 0;
        return sequence.tokens.size() < sequence.length && !hasEnded;
    }

    /// One new token for each.
    Result<bool> grow(const std::vector<Sequence*>& growing, const std::vector<std::size_t>& numbers)
    {
        TRAINYARD_TRY(const LogitRows logits,
                      LogitRows::of(m_model.logits(nextTokensOf(growing, numbers), m_cache).tokens));
        for (std::size_t i = 0; i < growing.size(); ++i) {
            Sequence& sequence = *growing[i];
            sequence.computed = sequence.tokens.size();
            sequence.tokens.push_back(
                m_sampler.choose(logits.row(i), sequence.prompt, sequence.tokens.size()));
            if (m_onToken && !m_onToken(sequence.prompt, sequence.tokens.back()))
                return false;
        }
        return true;
    }

    const LanguageModel& m_model;
    const GenerationOptions& m_options;
    const Sampler m_sampler;
    const OnNewToken& m_onToken;
    std::vector<Sequence> m_sequences;
    KeyValueCache m_cache;
};

std::vector<Sequence> sequencesOf(const ModelSpec& model, const std::vector<TokenIds>& prompts,
                                  const GenerationOptions& options)
{
    std::vector<Sequence> all;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        const std::int64_t usual = std::min(roomAfter(model, prompts[i]), kUsualNewTokens);
        const std::int64_t count = options.newTokens.value_or(usual);
        all.push_back({i, prompts[i], prompts[i].size() + static_cast<std::size_t>(count)});
    }
    return all;
}

} // namespace

Result<std::vector<TokenIds>> continuePrompts(const LanguageModel& model,
                                              const std::vector<TokenIds>& prompts,
                                              const GenerationOptions& options, const OnNewToken& onToken)
{
    if (!model.spec().isDecoder())
        return badInput("an encoder reads text, it does not continue it",
                        "give it a text with [MASK], or choose a decoder (family gpt)");
    TRAINYARD_TRY_STATUS(checkPrompts(model.spec(), prompts, options.newTokens));
    const std::vector<Sequence> waiting = sequencesOf(model.spec(), prompts, options);
    std::vector<TokenIds> results;
    for (auto begin = waiting.begin(); begin != waiting.end();) {
        const auto end = begin + std::min(kPromptsAtOnce, std::distance(begin, waiting.end()));
        Continuation continuation(model, options, onToken, std::vector<Sequence>(begin, end));
        begin = end;
        TRAINYARD_TRY(const bool goesOn, continuation.run());
        for (const Sequence& each : continuation.sequences())
            results.push_back(each.tokens);
        if (!goesOn)
            break;
    }
    return results;
}

} // namespace trainyard
