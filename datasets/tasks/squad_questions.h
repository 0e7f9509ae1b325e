#pragma once

#include "datasets/tasks/task_example.h"

namespace trainyard {

/// Adds the questions of a file to `examples`: of a table .parquet or .arrow as Hugging Face has SQuAD, a row
/// per question with "id", "context", "question" and "answers": {"text": [...], "answer_start": [...]}, whose
/// lists are empty for a question without answers; of any other in the layout of SQuAD 1.1 or 2.0, {"data":
/// [{"paragraphs": [{"context", "qas": [{"id", "question", "answers": [{"text", "answer_start"}],
/// "is_impossible"}]}]}]}, where a question may be without answers only if is_impossible says so, as in
/// version 2.0. answer_start counts characters (code points). BadInput names the file, the question, its row,
/// or its line in a file of several, and the field that is missing or wrong, such as an answer that is not
/// where answer_start says.
Status readSquadQuestions(const std::filesystem::path& file, TaskExamples& examples);

} // namespace trainyard
