#include "engine/hand_over/card_sections.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "engine/base/counted.h"
#include "engine/hand_over/card_text.h"
#include "engine/records/evaluation_metrics.h"

namespace trainyard::card {

namespace {

constexpr std::size_t kMaxEvaluations = 11;

std::vector<EvaluationRecord> shownEvaluations(const std::vector<EvaluationRecord>& all)
{
    if (all.size() <= kMaxEvaluations)
        return all;
    std::vector<EvaluationRecord> few;
    for (std::size_t i = 0; i < kMaxEvaluations; ++i)
        few.push_back(all[i * (all.size() - 1) / (kMaxEvaluations - 1)]);
    return few;
}

std::string evaluationTable(const CardFacts& facts)
{
    const ModelFamily family = facts.spec.model.family;
    std::vector<std::string> head{"Step", "loss"};
    for (const auto& [name, value] : metricsOf(facts.history->evaluations.back(), family))
        head.emplace_back(name);
    Rows rows;
    for (const EvaluationRecord& record : shownEvaluations(facts.history->evaluations)) {
        std::vector<std::string> row{grouped(record.step), fmt::format("{:.4f}", record.loss)};
        for (const auto& [name, value] : metricsOf(record, family))
            row.push_back(fmt::format("{:.4f}", value));
        row.resize(head.size());
        rows.push_back(std::move(row));
    }
    return table(head, rows);
}

std::string evaluationSource(const CardFacts& facts, std::uint64_t count)
{
    const std::string rows = nounFor(count, "held-out row");
    const std::string other = facts.phase().evaluation.dataset;
    if (other.empty())
        return rows + " of its data set";
    return fmt::format("{} of the data set \"{}\"", rows,
                       plain(std::filesystem::path(other).filename().string()));
}

} // namespace

std::string curve(const CardFacts& facts)
{
    std::string text = "\n## Training loss\n\n";
    if (!facts.history || facts.history->curve.empty())
        return text + "The records of its steps were not available when this card was written.\n";
    const bool hasParts = facts.spec.model.predictsNextSentence();
    std::vector<std::string> head{"Step", "Loss", "Learning rate"};
    if (hasParts)
        head.insert(head.begin() + 2, {"Masked tokens", "Next sentence"});
    Rows rows;
    for (const CurvePoint& point : facts.history->curve) {
        std::vector<std::string> row{grouped(point.step), fmt::format("{:.4f}", point.loss),
                                     fmt::format("{:.3g}", point.learningRate)};
        if (hasParts)
            row.insert(row.begin() + 2,
                       {fmt::format("{:.4f}", point.tokenLoss), fmt::format("{:.4f}", point.sequenceLoss)});
        rows.push_back(std::move(row));
    }
    return text + "Each figure is of one step's batch.\n\n" + table(head, rows);
}

std::string results(const CardFacts& facts)
{
    std::string text = "\n## Results on held-out rows\n\n";
    if (!facts.history || facts.history->evaluations.empty())
        return text + "None were recorded up to this step.\n";
    const EvaluationRecord& last = facts.history->evaluations.back();
    const std::string judged =
        facts.spec.model.task.judgesSequences()
            ? "Figures over "
            : fmt::format("Means over {} to predict in ",
                          groupedCount(static_cast<std::int64_t>(last.tokens), "token"));
    text += fmt::format("{}{} {}, which it was not trained on, without dropout.\n\n", judged,
                        grouped(last.rows), evaluationSource(facts, last.rows));
    return text + evaluationTable(facts);
}

} // namespace trainyard::card
