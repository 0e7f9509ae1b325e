#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/generation/task_outputs.h"
#include "engine/worker/answer_output.h"

namespace trainyard {

/// A word of a text, or a token of a prompt, and its labels, most probable first.
struct TaggedPart {
    std::string text; ///< safe to be shown
    std::size_t begin = 0; ///< characters (code points) of the text
    std::size_t end = 0;
    std::optional<TokenId> token; ///< instead of a text
    std::vector<LabelProbability> labels;
};

/// An answer to a question, or that there is none.
struct AnswerPart {
    bool isAnswer = true;
    std::string text; ///< safe to be shown
    std::size_t begin = 0;
    std::size_t end = 0;
    double score = 0;
    double probability = 0;
};

/// Prints what the head of a task says, as one JSON document or as lines. The form: see runTry().
class TaskOutput {
public:
    /// `labels`: names by their numbers; labels without one are LABEL_0 ... . `output` must outlive it.
    TaskOutput(std::vector<std::string> labels, bool json, AnswerOutput& output)
        : m_labels(std::move(labels)), m_json(json), m_output(output)
    {
    }

    // An entry for each prompt.

    void printLabels(const std::vector<std::vector<LabelProbability>>& prompts);
    void printValues(const std::vector<double>& prompts);
    void printWords(const std::vector<std::vector<TaggedPart>>& prompts);
    void printAnswers(const std::vector<std::vector<AnswerPart>>& prompts);

private:
    std::string nameOf(std::size_t label) const;

    std::vector<std::string> m_labels;
    bool m_json;
    AnswerOutput& m_output;
};

} // namespace trainyard
