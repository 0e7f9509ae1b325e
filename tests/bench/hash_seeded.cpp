#include "tests/bench/hash_seeded.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

namespace trainyard {

namespace {

std::uint64_t mix(std::uint64_t x)
{
    std::uint64_t z = x + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/// u(stream, .)
class Stream {
public:
    explicit Stream(std::uint64_t stream) : m_base(mix(stream)) {}
    std::uint64_t at(std::int64_t i) const { return mix(m_base + static_cast<std::uint64_t>(i)); }

private:
    std::uint64_t m_base;
};

/// Weights that are stacked in the plain module come one behind the other from its stream.
class Filler {
public:
    Filler(ParameterStore& parameters, std::uint64_t seed) : m_parameters(parameters), m_seed(seed) {}

    void matrix(const std::vector<std::string>& names)
    {
        const Stream stream(m_seed * 1000003 + m_next++);
        const auto amplitude = static_cast<float>(0.02 * std::sqrt(3.0));
        std::int64_t element = 0;
        for (const std::string& name : names) {
            const at::Tensor values = at::empty({m_parameters.parameter(name).count}, at::kFloat);
            auto* weights = values.mutable_data_ptr<float>();
            for (std::int64_t i = 0; i < values.numel(); ++i) {
                const float fraction = static_cast<float>(stream.at(element++) >> 40) / 16777216.0f;
                weights[i] = (2 * fraction - 1) * amplitude;
            }
            set(name, values);
        }
    }
    void vector(const std::string& name, double value)
    {
        set(name, at::full({m_parameters.parameter(name).count}, value, at::kFloat));
        ++m_next;
    }
    void norm(const std::string& name)
    {
        vector(name + ".weight", 1);
        vector(name + ".bias", 0);
    }
    void linear(const std::vector<std::string>& names)
    {
        std::vector<std::string> weights;
        for (const std::string& name : names) {
            weights.push_back(name + ".weight");
            set(name + ".bias", at::zeros({m_parameters.parameter(name + ".bias").count}, at::kFloat));
        }
        matrix(weights);
        ++m_next;
    }

private:
    /// The working weights, and of the masters what this rank owns.
    void set(const std::string& name, const at::Tensor& values)
    {
        const Parameter& parameter = m_parameters.parameter(name);
        parameter.working.view({-1}).copy_(values);
        for (const OwnedTensor& owned : m_parameters.owned()) {
            if (m_parameters.parameters()[owned.piece.parameter].spec.name == name)
                owned.master.copy_(values.narrow(0, owned.piece.firstElement, owned.piece.count));
        }
    }

    ParameterStore& m_parameters;
    std::uint64_t m_seed;
    std::uint64_t m_next = 0;
};

at::Tensor integers(std::int64_t rows, std::int64_t columns)
{
    return at::empty({rows, columns}, at::kLong);
}

/// The positions of the smallest numbers of one row, ascending.
std::vector<std::int64_t> smallest(const Stream& stream, std::int64_t row, std::int64_t length,
                                   std::int64_t count)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return stream.at(row * length + i); });
    order.resize(static_cast<std::size_t>(count));
    std::ranges::sort(order);
    return order;
}

} // namespace

void fillFromHash(ParameterStore& parameters, const ModelSpec& model, std::uint64_t seed)
{
    Filler filler(parameters, seed);
    filler.vector("cls.predictions.bias", 0);
    for (const char* table : {"word", "position", "token_type"})
        filler.matrix({std::string("bert.embeddings.") + table + "_embeddings.weight"});
    filler.norm("bert.embeddings.LayerNorm");
    for (int layer = 0; layer < model.layers; ++layer) {
        const std::string prefix = "bert.encoder.layer." + std::to_string(layer);
        const std::string attention = prefix + ".attention.self.";
        filler.linear({attention + "query", attention + "key", attention + "value"});
        filler.linear({prefix + ".attention.output.dense"});
        filler.norm(prefix + ".attention.output.LayerNorm");
        filler.linear({prefix + ".intermediate.dense"});
        filler.linear({prefix + ".output.dense"});
        filler.norm(prefix + ".output.LayerNorm");
    }
    filler.linear({"bert.pooler.dense"});
    filler.linear({"cls.predictions.transform.dense"});
    filler.norm("cls.predictions.transform.LayerNorm");
    filler.linear({"cls.seq_relationship"});
}

TokenBatch batchFromHash(const BatchShape& shape, std::uint64_t seed, std::uint64_t step, std::uint64_t rank)
{
    const std::uint64_t first = (seed << 40) + ((step * 4096 + rank) << 8);
    const Stream words(first + 1);
    const Stream places(first + 2);
    const Stream labels(first + 3);
    const Stream sentences(first + 4);
    const auto vocabulary = static_cast<std::uint64_t>(shape.vocabulary);
    TokenBatch batch;
    batch.inputIds = integers(shape.sequences, shape.length);
    auto* ids = batch.inputIds.mutable_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < batch.inputIds.numel(); ++i)
        ids[i] = static_cast<std::int64_t>(5 + words.at(i) % (vocabulary - 5));
    batch.tokenTypeIds = integers(shape.sequences, shape.length).zero_();
    batch.tokenTypeIds.narrow(1, shape.length / 2, shape.length - shape.length / 2).fill_(1);
    batch.targetPositions = at::empty({shape.sequences * shape.predictions}, at::kLong);
    batch.targets = at::empty({shape.sequences * shape.predictions}, at::kLong);
    batch.sequenceLabels = at::empty({shape.sequences}, at::kLong);
    for (std::int64_t row = 0; row < shape.sequences; ++row) {
        const auto positions = smallest(places, row, shape.length, shape.predictions);
        for (std::int64_t i = 0; i < shape.predictions; ++i) {
            const std::int64_t target = row * shape.predictions + i;
            batch.targetPositions.mutable_data_ptr<std::int64_t>()[target] =
                row * shape.length + positions[static_cast<std::size_t>(i)];
            batch.targets.mutable_data_ptr<std::int64_t>()[target] =
                static_cast<std::int64_t>(labels.at(target) % vocabulary);
        }
        batch.sequenceLabels.mutable_data_ptr<std::int64_t>()[row] =
            static_cast<std::int64_t>(sentences.at(row) & 1);
        batch.sampleIndices.push_back(step * 4096 + static_cast<std::uint64_t>(row));
    }
    return batch;
}

} // namespace trainyard
