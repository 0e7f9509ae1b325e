#pragma once

#include "datasets/options/task_options.h"
#include "datasets/tasks/task_example.h"

namespace trainyard {

/// Adds the sentences of a file to `examples`: a word per line with its tag, an empty line after each
/// sentence, columns separated by blanks or tabs, as the shared tasks of CoNLL have them (the word in the
/// first column, the tag in the last; --text and --label give other numbers; lines that begin with -DOCSTART-
/// or "# " are skipped), or, by the name .jsonl or .json, objects {"tokens": [...], "tags": [...]} (or
/// "ner_tags"), one per line, or as rows of a table .parquet or .arrow. BadInput names file, line and column
/// where a word has no tag, a line has another number of columns than those before, or the two lists differ
/// in length.
Status readTaggedSentences(const std::filesystem::path& file, const TaskOptions& options,
                           TaskExamples& examples);

} // namespace trainyard
