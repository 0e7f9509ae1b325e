#pragma once

#include <optional>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a model's predictions on labelled test rows are worth, as GLUE, CoNLL and SQuAD measure it (see
/// datasets/metrics). nullopt: the task has no such figure, or the rows do not define it.
struct TaskMetrics {
    TaskKind kind = TaskKind::None; ///< None: there are none. Its numbers are part of the journal format
    std::optional<double> f1{}; ///< classify: of class 1 of two, else the mean over the classes; tag: of the
                                ///< entities; answer: of the words, in percent
    std::optional<double> matthews{};   ///< classify
    std::optional<double> pearson{};    ///< regress
    std::optional<double> spearman{};   ///< regress
    std::optional<double> exactMatch{}; ///< answer: in percent of the questions

    bool isOn() const { return kind != TaskKind::None; }
    bool operator==(const TaskMetrics&) const = default;
};

} // namespace trainyard
