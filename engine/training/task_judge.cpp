#include "engine/training/task_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include "datasets/metrics/answer_scores.h"
#include "datasets/metrics/confusion_matrix.h"
#include "datasets/metrics/correlation.h"
#include "datasets/metrics/entity_scores.h"
#include "datasets/metrics/span_search.h"
#include "engine/base/check.h"
#include "engine/base/counted.h"

namespace trainyard {

namespace {

/// Counts of all pairs of more classes would need more memory than they are worth.
constexpr int kMaxCountedClasses = 1024;

/// "B-PER": then names stand for parts of entities, and "O" for what is none.
bool isEntityTag(const std::string& name)
{
    return name == "O" || (name.size() > 2 && name[1] == '-' &&
                           std::string_view("BIES").find(name[0]) != std::string_view::npos);
}

bool areFinite(std::span<const double> values)
{
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// Names of the classes of a sentence's words: what is right, and what was predicted.
struct TaggedWords {
    std::vector<std::string> expected;
    std::vector<std::string> predicted;
};

TaggedWords wordsOf(std::span<const std::int32_t> labels, std::span<const double> predictions,
                    const std::vector<std::string>& names)
{
    TaggedWords words;
    for (std::size_t token = 0; token < predictions.size(); ++token) {
        const std::int32_t label = labels[token];
        if (label == RowBlock::kNoLabel)
            continue;
        words.expected.push_back(names[static_cast<std::size_t>(label)]);
        words.predicted.push_back(names[static_cast<std::size_t>(predictions[token])]);
    }
    return words;
}

/// Of a question, over the rows that its context was cut into.
struct BestAnswer {
    std::optional<FoundSpan> span{}; ///< nullopt: no row has a token of the context
    double noAnswer = std::numeric_limits<double>::infinity();

    /// `found` of a further row, highest first.
    void add(std::span<const FoundSpan> found)
    {
        for (const FoundSpan& candidate : found) {
            if (!candidate.isAnswer)
                noAnswer = std::min(noAnswer, candidate.score);
            else if (!span || candidate.score > span->score)
                span = candidate;
        }
    }
};

/// By the number of the question.
using BestAnswers = std::map<std::size_t, BestAnswer>;

BestAnswers answersOf(const HeldOutLabels& right, std::span<const double> predictions)
{
    const std::size_t length = right.length;
    BestAnswers answers;
    for (std::size_t row = 0; row < right.questionOf.size(); ++row) {
        const auto logits = predictions.subspan(row * 2 * length, 2 * length);
        const ScoredRow scored{logits.first(length), logits.last(length),
                               right.tokensOf(right.tokenBegins, row), right.tokensOf(right.tokenEnds, row)};
        answers[right.questionOf[row]].add(bestSpans(std::span(&scored, 1), {.allowsNoAnswer = true}));
    }
    return answers;
}

std::string textOf(const BestAnswer& answer, const std::string& context, AnswerScores::Rules rules)
{
    const bool mayLack = rules == AnswerScores::Rules::Squad2;
    if (!answer.span || (mayLack && answer.noAnswer > answer.span->score))
        return {};
    const std::size_t begin = std::min(answer.span->begin, context.size());
    return context.substr(begin, answer.span->end - answer.span->begin);
}

AnswerScores::Rules rulesOf(const std::vector<HeldOutQuestion>& questions)
{
    const bool someLack =
        std::ranges::any_of(questions, [](const auto& question) { return question.answers.empty(); });
    return someLack ? AnswerScores::Rules::Squad2 : AnswerScores::Rules::Squad1;
}

} // namespace

Result<TaskMetrics> TaskJudge::judge(HeldOutRows& rows, std::span<const double> predictions)
{
    switch (m_task.kind) {
    case TaskKind::Classify:
        return judgeClasses(rows, predictions);
    case TaskKind::Regress:
        return judgeNumbers(rows, predictions);
    case TaskKind::Tag:
        return judgeTags(rows, predictions);
    case TaskKind::Answer:
        return judgeAnswers(rows, predictions);
    case TaskKind::None:
    case TaskKind::Complete:
        break;
    }
    TRAINYARD_CHECK_MSG(false, "no head for a task");
    return TaskMetrics();
}

Result<const HeldOutLabels*> TaskJudge::labelsOf(HeldOutRows& rows)
{
    if (!m_labels) {
        TRAINYARD_TRY(m_labels, HeldOutLabels::read(rows));
    }
    return &*m_labels;
}

Result<TaskMetrics> TaskJudge::judgeClasses(HeldOutRows& rows, std::span<const double> predictions)
{
    TaskMetrics metrics{.kind = m_task.kind};
    if (m_task.labels > kMaxCountedClasses)
        return metrics;
    TRAINYARD_TRY(const HeldOutLabels* right, labelsOf(rows));
    ConfusionMatrix counts(m_task.labels);
    for (std::size_t row = 0; row < right->labels.size(); ++row)
        counts.add(right->labels[row], static_cast<int>(predictions[row]));
    metrics.f1 = m_task.labels == 2 ? counts.f1(1) : counts.macroF1();
    metrics.matthews = counts.matthews();
    return metrics;
}

Result<TaskMetrics> TaskJudge::judgeNumbers(HeldOutRows& rows, std::span<const double> predictions)
{
    TaskMetrics metrics{.kind = m_task.kind};
    TRAINYARD_TRY(const HeldOutLabels* right, labelsOf(rows));
    if (!areFinite(predictions))
        return metrics;
    metrics.pearson = pearsonCorrelation(predictions, right->values);
    metrics.spearman = spearmanCorrelation(predictions, right->values);
    return metrics;
}

Result<TaskMetrics> TaskJudge::judgeTags(HeldOutRows& rows, std::span<const double> predictions)
{
    TaskMetrics metrics{.kind = m_task.kind};
    const std::vector<std::string>& names = rows.task().labels;
    if (!std::ranges::all_of(names, isEntityTag))
        return metrics;
    TRAINYARD_TRY(const HeldOutLabels* right, labelsOf(rows));
    EntityScores scores;
    for (std::uint64_t row = 0; row < rows.schedule().rows; ++row) {
        const TaggedWords words = wordsOf(right->tokensOf(right->labels, row),
                                          predictions.subspan(row * right->length, right->length), names);
        scores.add(words.expected, words.predicted);
    }
    metrics.f1 = scores.f1();
    return metrics;
}

Result<TaskMetrics> TaskJudge::judgeAnswers(HeldOutRows& rows, std::span<const double> predictions)
{
    TRAINYARD_TRY(const HeldOutLabels* right, labelsOf(rows));
    const std::vector<HeldOutQuestion>& questions = right->questions;
    const BestAnswers answers = answersOf(*right, predictions);
    if (!answers.empty() && answers.rbegin()->first >= questions.size())
        return badInput(fmt::format("{} has {}, and a test row belongs to number {}",
                                    (rows.folder() / rows.task().questionsFile).string(),
                                    counted(questions.size(), "question"), answers.rbegin()->first),
                        "prepare the data set again, or copy the file again");
    const AnswerScores::Rules rules = rulesOf(questions);
    AnswerScores scores(rules);
    for (const auto& [number, answer] : answers) {
        const HeldOutQuestion& question = questions[number];
        scores.add(textOf(answer, question.context, rules), question.answers);
    }
    return TaskMetrics{.kind = m_task.kind, .f1 = scores.f1(), .exactMatch = scores.exactMatch()};
}

} // namespace trainyard
