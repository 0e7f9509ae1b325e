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

TaggedWords wordsOf(const RowView& row, std::span<const double> predictions,
                    const std::vector<std::string>& names)
{
    TaggedWords words;
    const std::size_t first = row.row * predictions.size();
    for (std::size_t token = 0; token < predictions.size(); ++token) {
        const std::int32_t label = row.block->labels[first + token];
        if (label == RowBlock::kNoLabel)
            continue;
        words.expected.push_back(names[static_cast<std::size_t>(label)]);
        words.predicted.push_back(names[static_cast<std::size_t>(predictions[token])]);
    }
    return words;
}

template <typename Value>
std::span<const Value> tokensOf(const std::vector<Value>& column, const RowView& row)
{
    const auto length = static_cast<std::size_t>(row.block->sequenceLength);
    return std::span(column).subspan(row.row * length, length);
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

Result<BestAnswers> answersOf(HeldOutRows& rows, std::span<const double> predictions)
{
    const auto length = static_cast<std::size_t>(rows.sequenceLength());
    BestAnswers answers;
    for (std::uint64_t number = 0; number < rows.schedule().rows; ++number) {
        TRAINYARD_TRY(const RowView row, rows.row(number));
        const auto logits = predictions.subspan(number * 2 * length, 2 * length);
        const ScoredRow scored{logits.first(length), logits.last(length),
                               tokensOf(row.block->tokenBegins, row), tokensOf(row.block->tokenEnds, row)};
        const auto question = static_cast<std::size_t>(row.block->questions[row.row]);
        answers[question].add(bestSpans(std::span(&scored, 1), {.allowsNoAnswer = true}));
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

Result<TaskMetrics> TaskJudge::judgeClasses(HeldOutRows& rows, std::span<const double> predictions) const
{
    TaskMetrics metrics{.kind = m_task.kind};
    if (m_task.labels > kMaxCountedClasses)
        return metrics;
    ConfusionMatrix counts(m_task.labels);
    for (std::uint64_t number = 0; number < rows.schedule().rows; ++number) {
        TRAINYARD_TRY(const RowView row, rows.row(number));
        counts.add(row.block->labels[row.row], static_cast<int>(predictions[number]));
    }
    metrics.f1 = m_task.labels == 2 ? counts.f1(1) : counts.macroF1();
    metrics.matthews = counts.matthews();
    return metrics;
}

Result<TaskMetrics> TaskJudge::judgeNumbers(HeldOutRows& rows, std::span<const double> predictions) const
{
    TaskMetrics metrics{.kind = m_task.kind};
    std::vector<double> expected;
    for (std::uint64_t number = 0; number < rows.schedule().rows; ++number) {
        TRAINYARD_TRY(const RowView row, rows.row(number));
        expected.push_back(row.block->values[row.row]);
    }
    if (!areFinite(predictions))
        return metrics;
    metrics.pearson = pearsonCorrelation(predictions, expected);
    metrics.spearman = spearmanCorrelation(predictions, expected);
    return metrics;
}

Result<TaskMetrics> TaskJudge::judgeTags(HeldOutRows& rows, std::span<const double> predictions) const
{
    TaskMetrics metrics{.kind = m_task.kind};
    const std::vector<std::string>& names = rows.task().labels;
    if (!std::ranges::all_of(names, isEntityTag))
        return metrics;
    const auto length = static_cast<std::size_t>(rows.sequenceLength());
    EntityScores scores;
    for (std::uint64_t number = 0; number < rows.schedule().rows; ++number) {
        TRAINYARD_TRY(const RowView row, rows.row(number));
        const TaggedWords words = wordsOf(row, predictions.subspan(number * length, length), names);
        scores.add(words.expected, words.predicted);
    }
    metrics.f1 = scores.f1();
    return metrics;
}

Result<TaskMetrics> TaskJudge::judgeAnswers(HeldOutRows& rows, std::span<const double> predictions)
{
    const std::filesystem::path file = rows.folder() / rows.task().questionsFile;
    if (!m_questions) {
        TRAINYARD_TRY(m_questions, readQuestions(file));
    }
    TRAINYARD_TRY(const auto answers, answersOf(rows, predictions));
    if (!answers.empty() && answers.rbegin()->first >= m_questions->size())
        return badInput(fmt::format("{} has {}, and a test row belongs to number {}", file.string(),
                                    counted(m_questions->size(), "question"), answers.rbegin()->first),
                        "prepare the data set again, or copy the file again");
    const AnswerScores::Rules rules = rulesOf(*m_questions);
    AnswerScores scores(rules);
    for (const auto& [number, answer] : answers) {
        const HeldOutQuestion& question = (*m_questions)[number];
        scores.add(textOf(answer, question.context, rules), question.answers);
    }
    return TaskMetrics{.kind = m_task.kind, .f1 = scores.f1(), .exactMatch = scores.exactMatch()};
}

} // namespace trainyard
