#include "datasets/verification/task_sample.h"

#include <fmt/format.h>

namespace trainyard {

namespace {

/// Fills in one row.
class TaskRowDecoder {
public:
    TaskRowDecoder(const RowBlock& rows, std::size_t index, const Vocabulary& vocabulary,
                   const std::vector<std::string>& labels)
        : m_rows(rows), m_index(index), m_vocabulary(vocabulary), m_labels(labels)
    {
    }

    void decode(SampleRow& sample) const
    {
        sample.task = m_rows.task;
        addTokens(sample);
        switch (m_rows.task) {
        case TaskKind::Classify:
            sample.label = nameOf(m_rows.labels[m_index]);
            break;
        case TaskKind::Regress:
            sample.label = fmt::format("{}", m_rows.values[m_index]);
            break;
        case TaskKind::Tag:
            return addTags(sample);
        case TaskKind::Answer:
            return addAnswer(sample);
        default:
            addCompletion(sample);
        }
    }

private:
    std::size_t at(std::size_t token) const
    {
        return m_index * static_cast<std::size_t>(m_rows.sequenceLength) + token;
    }

    std::string nameOf(std::int32_t label) const
    {
        const auto number = static_cast<std::size_t>(label);
        return label >= 0 && number < m_labels.size() ? m_labels[number] : std::to_string(label);
    }

    void addTokens(SampleRow& sample) const
    {
        const auto length = static_cast<std::size_t>(m_rows.sequenceLength);
        for (std::size_t i = 0; i < length && m_rows.inputMask[at(i)] != 0; ++i)
            sample.tokens.push_back({.text = m_vocabulary.shown(m_rows.inputIds[at(i)]),
                                     .segment = m_rows.segmentIds.empty() ? 0 : m_rows.segmentIds[at(i)]});
    }

    void addTags(SampleRow& sample) const
    {
        for (std::size_t i = 0; i < sample.tokens.size(); ++i) {
            if (const std::int32_t label = m_rows.labels[at(i)]; label != RowBlock::kNoLabel)
                sample.tokens[i].label = nameOf(label);
        }
    }

    void addAnswer(SampleRow& sample) const
    {
        const auto start = static_cast<std::size_t>(m_rows.startPositions[m_index]);
        const auto end = static_cast<std::size_t>(m_rows.endPositions[m_index]);
        for (std::size_t i = start; i > 0 && i <= end && i < sample.tokens.size(); ++i)
            sample.tokens[i].isTarget = true;
    }

    void addCompletion(SampleRow& sample) const
    {
        for (std::size_t i = 0; i < sample.tokens.size(); ++i)
            sample.tokens[i].isTarget = m_rows.labels[at(i)] != RowBlock::kNoLabel;
    }

    const RowBlock& m_rows;
    const std::size_t m_index;
    const Vocabulary& m_vocabulary;
    const std::vector<std::string>& m_labels;
};

} // namespace

SampleRow decodeTaskRow(const std::string& shard, std::uint64_t row, const RowBlock& rows, std::size_t index,
                        const Vocabulary& vocabulary, const std::vector<std::string>& labels)
{
    SampleRow sample;
    sample.shard = shard;
    sample.row = row;
    TaskRowDecoder(rows, index, vocabulary, labels).decode(sample);
    return sample;
}

} // namespace trainyard
