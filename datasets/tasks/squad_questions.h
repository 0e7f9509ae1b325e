#pragma once

#include "datasets/tasks/task_example.h"

namespace trainyard {

/// Adds the questions of a file in the layout of SQuAD 1.1 or 2.0 to `examples`: {"data": [{"paragraphs":
/// [{"context", "qas": [{"id", "question", "answers": [{"text", "answer_start"}], "is_impossible"}]}]}]}.
/// answer_start counts characters (code points). A question may be without answers only if is_impossible says
/// so, as in version 2.0. BadInput names the file, the question, its line in a
/// file of several, and the field that is missing or wrong, such
/// as an answer that is not where answer_start says.
Status readSquadQuestions(const std::filesystem::path& file, TaskExamples& examples);

} // namespace trainyard
