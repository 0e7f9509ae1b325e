#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "datasets/options/prepare_options.h"
#include "datasets/shards/row_block.h"
#include "datasets/tasks/label_names.h"
#include "datasets/tasks/task_example.h"
#include "datasets/tasks/task_rows.h"
#include "datasets/tokenizer_json/row_tokenizer.h"

namespace trainyard {

/// Appends the row, padded, to a block of the task.
void appendTaskRow(const TaskRow& row, RowBlock& rows);

/// Turns examples into rows, as Hugging Face's tokenizers do it, here with BERT's special tokens:
///     classify, regress   [CLS] A [SEP], or [CLS] A [SEP] B [SEP]; the longer side loses tokens at its end
///     tag                 [CLS] words [SEP]; the label of a word is on its first token; the end is cut
///     answer              [CLS] question [SEP] context [SEP]; several rows of a long context, which share
///                         TaskOptions::docStride tokens; questions are cut to 64 tokens
///     complete            prompt completion [SEP]; labels on the completion and its [SEP]
/// With a tokenizer.json they are those of its files: of a completion what its post_processor puts before a
/// text, if it is a decoder's and puts nothing behind, and the end of a document. A byte-level BPE gets each
/// tagged word with a space before it. One thread at a time.
class TaskEncoder {
public:
    /// BadInput if the tokenizer does not say what stands around the texts of the task. The references must
    /// outlive the encoder.
    static Result<TaskEncoder> create(const PrepareOptions& options, const RowTokenizer& tokenizer,
                                      const LabelNames& labels);

    /// Appends the rows of an example. `question`: see RowBlock. BadInput names file, line and
    /// column of an unknown label, or of a prompt that does not fit into a row.
    Status encode(const TaskExamples& examples, const TaskExample& example, std::int64_t question,
                  std::vector<TaskRow>& rows);

    /// What was cut, for the manifest.
    const std::map<std::string, std::uint64_t>& counters() const { return m_counters; }

private:
    TaskEncoder(const PrepareOptions& options, const RowTokenizer& tokenizer, const LabelNames& labels);
    std::size_t room(std::size_t special) const;
    std::vector<std::int32_t> idsOf(std::string_view text) const;
    std::vector<std::int32_t> idsOfWord(const std::string& word) const;
    TaskRow labelledRow(const TaskExample& example);
    Status addLabelledRow(const TaskExamples& examples, const TaskExample& example,
                          std::vector<TaskRow>& rows);
    Status addTaggedRow(const TaskExamples& examples, const TaskExample& example, std::vector<TaskRow>& rows);
    Status addCompletion(const TaskExamples& examples, const TaskExample& example,
                         std::vector<TaskRow>& rows);
    void addAnswerRows(const TaskExample& example, std::int64_t question, std::vector<TaskRow>& rows);
    Result<std::int32_t> labelOf(const TaskExamples& examples, const TaskExample& example,
                                 const std::string& name, std::string_view column) const;

    const PrepareOptions& m_options;
    const RowTokenizer& m_tokenizer;
    const LabelNames& m_labels;
    const RowFrame m_frame;
    std::unique_ptr<TextEncoder> m_encoder;
    std::map<std::string, std::uint64_t> m_counters;
};

} // namespace trainyard
