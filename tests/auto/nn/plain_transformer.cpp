#include "tests/auto/nn/plain_transformer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace trainyard {

namespace {

using Vector = std::vector<double>;
using Rows = std::vector<Vector>; // one per token of a sequence

double sigmoid(double x)
{
    return 1.0 / (1.0 + std::exp(-x));
}

double activated(double x, Activation activation)
{
    switch (activation) {
    case Activation::Geglu:
    case Activation::Gelu:
        return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
    case Activation::GegluNew:
    case Activation::GeluNew:
        return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case Activation::Relu:
        return std::max(0.0, x);
    case Activation::Silu:
    case Activation::Swiglu:
        return x * sigmoid(x);
    }
    return x;
}

// -log of the softmax of `logits` at `label`.
double crossEntropy(const Vector& logits, std::size_t label)
{
    double sum = 0;
    for (const double logit : logits)
        sum += std::exp(logit);
    return std::log(sum) - logits[label];
}

class PlainModel {
public:
    PlainModel(const ModelSpec& model, const ParameterStore& parameters)
        : m_model(model), m_parameters(parameters), m_bert(model.family == ModelFamily::Bert)
    {
    }

    // Tokens [begin, end) of row b as one sequence of its own.
    Rows hiddenStates(const TokenBatch& batch, std::int64_t b, std::int64_t begin, std::int64_t end) const
    {
        Rows rows;
        for (std::int64_t s = begin; s < end; ++s)
            rows.push_back(embedded(batch, b, s, s - begin));
        for (int layer = 0; layer < m_model.layers; ++layer)
            rows = layerOf(layer, rows);
        if (m_model.norm == NormPlacement::Pre)
            rows = normed(rows, m_bert ? "bert.encoder.LayerNorm" : "transformer.ln_f");
        return rows;
    }

    Vector tokenLogits(const Vector& hidden) const
    {
        const char* words = m_bert ? "bert.embeddings.word_embeddings.weight" : "transformer.wte.weight";
        const char* own = m_bert ? "cls.predictions.decoder.weight" : "lm_head.weight";
        Vector x = hidden;
        if (m_bert) {
            x = product(x, "cls.predictions.transform.dense");
            for (double& value : x)
                value = activated(value, m_model.activation);
            x = normed({x}, "cls.predictions.transform.LayerNorm").front();
        }
        Vector logits = times(values(m_model.tiedHead ? words : own), x);
        if (m_bert)
            add(logits, values("cls.predictions.bias"));
        return logits;
    }

    Vector sequenceLogits(const Vector& first) const
    {
        Vector pooled = product(first, "bert.pooler.dense");
        for (double& value : pooled)
            value = std::tanh(value);
        return product(pooled, "cls.seq_relationship");
    }

private:
    Vector values(const std::string& name) const
    {
        const at::Tensor master = m_parameters.parameter(name).master;
        const double* data = master.const_data_ptr<double>();
        return {data, data + master.numel()};
    }

    static void add(Vector& x, const Vector& y)
    {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] += y[i];
    }

    static Vector times(const Vector& matrix, const Vector& x)
    {
        Vector y(matrix.size() / x.size());
        for (std::size_t row = 0; row < y.size(); ++row) {
            for (std::size_t column = 0; column < x.size(); ++column)
                y[row] += matrix[row * x.size() + column] * x[column];
        }
        return y;
    }

    Vector product(const Vector& x, const std::string& name) const
    {
        Vector y = times(values(name + ".weight"), x);
        add(y, values(name + ".bias"));
        return y;
    }

    Rows normed(Rows rows, const std::string& name) const
    {
        const Vector weight = values(name + ".weight");
        const Vector bias = values(name + ".bias");
        for (Vector& row : rows) {
            double mean = 0;
            double variance = 0;
            for (const double value : row)
                mean += value / static_cast<double>(row.size());
            for (const double value : row)
                variance += (value - mean) * (value - mean) / static_cast<double>(row.size());
            for (std::size_t i = 0; i < row.size(); ++i)
                row[i] =
                    (row[i] - mean) / std::sqrt(variance + m_model.layerNormEpsilon) * weight[i] + bias[i];
        }
        return rows;
    }

    Vector rowOf(const std::string& table, std::int64_t row) const
    {
        const Vector all = values(table);
        const auto first = all.begin() + row * m_model.hidden;
        return {first, first + m_model.hidden};
    }

    Vector embedded(const TokenBatch& batch, std::int64_t b, std::int64_t s, std::int64_t position) const
    {
        const std::string prefix = m_bert ? "bert.embeddings." : "transformer.";
        Vector sum = rowOf(prefix + (m_bert ? "word_embeddings.weight" : "wte.weight"),
                           batch.inputIds[b][s].item<std::int64_t>());
        if (m_model.positions == PositionEncoding::Learned)
            add(sum, rowOf(prefix + (m_bert ? "position_embeddings.weight" : "wpe.weight"), position));
        if (!m_bert)
            return sum;
        add(sum,
            rowOf(prefix + "token_type_embeddings.weight", batch.tokenTypeIds[b][s].item<std::int64_t>()));
        return normed({sum}, prefix + "LayerNorm").front();
    }

    std::string layerName(int layer) const
    {
        return (m_bert ? "bert.encoder.layer." : "transformer.h.") + std::to_string(layer);
    }

    // Query, key and value of one token.
    std::array<Vector, 3> projections(int layer, const Vector& x) const
    {
        const std::string name = layerName(layer);
        if (m_bert)
            return {product(x, name + ".attention.self.query"), product(x, name + ".attention.self.key"),
                    product(x, name + ".attention.self.value")};
        const Vector all = product(x, name + ".attn.c_attn");
        const auto h = static_cast<std::ptrdiff_t>(m_model.hidden);
        return {Vector(all.begin(), all.begin() + h), Vector(all.begin() + h, all.begin() + 2 * h),
                Vector(all.begin() + 2 * h, all.end())};
    }

    // Pairs (i, i + D/2) of every head as complex numbers, times exp(i position 10000^(-2 i / D)).
    void turn(Vector& x, std::size_t position) const
    {
        const auto width = static_cast<std::size_t>(m_model.hidden / m_model.heads);
        for (std::size_t head = 0; head < x.size(); head += width) {
            for (std::size_t i = 0; i < width / 2; ++i) {
                const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(width);
                const double angle = static_cast<double>(position) * std::pow(10000.0, exponent);
                const double a = x[head + i];
                const double b = x[head + i + width / 2];
                x[head + i] = a * std::cos(angle) - b * std::sin(angle);
                x[head + i + width / 2] = b * std::cos(angle) + a * std::sin(angle);
            }
        }
    }

    Rows attention(int layer, const Rows& rows) const
    {
        std::vector<std::array<Vector, 3>> tokens;
        for (std::size_t s = 0; s < rows.size(); ++s) {
            tokens.push_back(projections(layer, rows[s]));
            if (m_model.positions == PositionEncoding::Rotary) {
                turn(tokens.back()[0], s);
                turn(tokens.back()[1], s);
            }
        }
        Rows result(rows.size(), Vector(static_cast<std::size_t>(m_model.hidden)));
        const auto width = static_cast<std::size_t>(m_model.hidden / m_model.heads);
        for (std::size_t s = 0; s < rows.size(); ++s) {
            for (std::size_t head = 0; head < result[s].size(); head += width)
                attend(tokens, s, head, width, result[s]);
        }
        for (Vector& row : result)
            row = product(row, layerName(layer) + (m_bert ? ".attention.output.dense" : ".attn.c_proj"));
        return result;
    }

    void attend(const std::vector<std::array<Vector, 3>>& tokens, std::size_t query, std::size_t head,
                std::size_t width, Vector& out) const
    {
        const std::size_t end = m_bert ? tokens.size() : query + 1;
        Vector weights;
        double sum = 0;
        for (std::size_t key = 0; key < end; ++key) {
            double score = 0;
            for (std::size_t i = head; i < head + width; ++i)
                score += tokens[query][0][i] * tokens[key][1][i];
            weights.push_back(std::exp(score / std::sqrt(static_cast<double>(width))));
            sum += weights.back();
        }
        for (std::size_t key = 0; key < end; ++key) {
            for (std::size_t i = head; i < head + width; ++i)
                out[i] += weights[key] / sum * tokens[key][2][i];
        }
    }

    Rows feedForward(int layer, Rows rows) const
    {
        const std::string in = layerName(layer) + (m_bert ? ".intermediate.dense" : ".mlp.c_fc");
        const std::string gate = layerName(layer) + (m_bert ? ".intermediate.gate" : ".mlp.c_gate");
        for (Vector& row : rows) {
            Vector inner = product(row, in);
            const Vector gates = m_model.activation == Activation::Swiglu ? product(row, gate) : Vector();
            for (std::size_t i = 0; i < inner.size(); ++i)
                inner[i] = gates.empty() ? activated(inner[i], m_model.activation)
                                         : gates[i] * sigmoid(gates[i]) * inner[i];
            row = product(inner, layerName(layer) + (m_bert ? ".output.dense" : ".mlp.c_proj"));
        }
        return rows;
    }

    Rows residual(const Rows& x, const std::string& norm, const std::function<Rows(const Rows&)>& block) const
    {
        const bool pre = m_model.norm == NormPlacement::Pre;
        Rows sum = block(pre ? normed(x, norm) : x);
        for (std::size_t s = 0; s < x.size(); ++s)
            add(sum[s], x[s]);
        return pre ? sum : normed(sum, norm);
    }

    Rows layerOf(int layer, const Rows& rows) const
    {
        const std::string name = layerName(layer);
        const Rows middle = residual(rows, name + (m_bert ? ".attention.output.LayerNorm" : ".ln_1"),
                                     [&](const Rows& x) { return attention(layer, x); });
        return residual(middle, name + (m_bert ? ".output.LayerNorm" : ".ln_2"),
                        [&](const Rows& x) { return feedForward(layer, x); });
    }

    const ModelSpec& m_model;
    const ParameterStore& m_parameters;
    bool m_bert;
};

std::int64_t tokensOf(const TokenBatch& batch, std::int64_t b)
{
    return batch.attentionMask.defined() ? batch.attentionMask[b].sum().item<std::int64_t>()
                                         : batch.sequenceLength();
}

} // namespace

PlainLosses plainLosses(const ModelSpec& model, const ParameterStore& parameters, const TokenBatch& batch)
{
    const PlainModel plain(model, parameters);
    PlainLosses losses;
    for (std::int64_t b = 0; b < batch.sequences(); ++b) {
        const Rows hidden = plain.hiddenStates(batch, b, 0, tokensOf(batch, b));
        for (std::int64_t m = 0; m < batch.targetCount(); ++m) {
            const auto position = batch.targetPositions[m].item<std::int64_t>();
            if (position / batch.sequenceLength() != b)
                continue;
            const auto s = static_cast<std::size_t>(position % batch.sequenceLength());
            losses.tokens += crossEntropy(plain.tokenLogits(hidden.at(s)),
                                          static_cast<std::size_t>(batch.targets[m].item<std::int64_t>()));
        }
        if (model.nextSentence)
            losses.sequences +=
                crossEntropy(plain.sequenceLogits(hidden.front()),
                             static_cast<std::size_t>(batch.sequenceLabels[b].item<std::int64_t>()));
    }
    return losses;
}

} // namespace trainyard
