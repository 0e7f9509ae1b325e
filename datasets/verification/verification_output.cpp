#include "datasets/verification/verification_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/counted.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

double percent(std::uint64_t some, std::uint64_t all)
{
    return all == 0 ? 0 : 100.0 * static_cast<double>(some) / static_cast<double>(all);
}

/// Figures that follow from the counts, for both outputs.
struct Figures {
    explicit Figures(const VerificationReport& report)
        : rows(report.rows())
        , meanLength(rows == 0 ? 0
                               : static_cast<double>(report.statistics.rowTokens) / static_cast<double>(rows))
        , fullPercent(percent(report.statistics.fullRows, rows))
        , paddingPercent(rows == 0 ? 0 : 100.0 * (1 - meanLength / report.sequenceLength))
        , randomNextPercent(percent(report.statistics.randomNext, rows))
        , maskPercent(percent(report.statistics.maskToken, report.statistics.masked))
        , keptPercent(percent(report.statistics.keptToken, report.statistics.masked))
        , randomPercent(percent(report.statistics.randomToken, report.statistics.masked))
        , rowsPerDocument(percent(rows, report.statistics.documents) / 100)
        , unknownPercent(percent(report.text.unknown, report.text.tokens))
    {
    }
    std::uint64_t rows;
    double meanLength, fullPercent, paddingPercent, randomNextPercent, maskPercent, keptPercent,
        randomPercent, rowsPerDocument, unknownPercent;
};

Json frequentPieces(const TextFigures& text)
{
    Json pieces = Json::array();
    for (const TextFigures::Piece& piece : text.mostFrequent)
        pieces.push_back({{"piece", piece.text}, {"percent", piece.percent}});
    return pieces;
}

Json violationJson(const Violation& violation)
{
    Json json{{"invariant", static_cast<int>(violation.invariant)},
              {"name", nameOf(violation.invariant)},
              {"file", violation.file}};
    json["row"] = violation.row ? Json(*violation.row) : Json(nullptr);
    json["problem"] = violation.problem;
    return json;
}

Json sampleJson(const SampleRow& sample)
{
    Json tokens = Json::array();
    for (const SampleRow::Token& token : sample.tokens) {
        Json item{{"text", token.text}, {"segment", token.segment}};
        if (!token.original.empty())
            item["original"] = token.original;
        if (!token.label.empty())
            item["label"] = token.label;
        if (token.isTarget)
            item["target"] = true;
        tokens.push_back(std::move(item));
    }
    Json json{{"shard", sample.shard},
              {"row", sample.row},
              {"random_next", sample.randomNext},
              {"relation", sample.relation},
              {"tokens", std::move(tokens)}};
    if (sample.task != TaskKind::None) {
        json["task"] = nameOf(sample.task);
        json["label"] = sample.label;
    }
    return json;
}

Json statisticsJson(const VerificationReport& report)
{
    const Figures figures(report);
    const DatasetStatistics& s = report.statistics;
    return {{"documents", s.documents},
            {"test_documents", s.testDocuments},
            {"sentences", s.sentences},
            {"tokens", s.tokens},
            {"mean_length", figures.meanLength},
            {"full_percent", figures.fullPercent},
            {"padding_percent", figures.paddingPercent},
            {"random_next_percent", figures.randomNextPercent},
            {"masked", s.masked},
            {"mask_percent", figures.maskPercent},
            {"kept_percent", figures.keptPercent},
            {"random_percent", figures.randomPercent},
            {"rows_per_document", figures.rowsPerDocument},
            {"text_tokens", report.text.tokens},
            {"unknown_percent", figures.unknownPercent},
            {"pieces_used", report.text.piecesUsed},
            {"frequent_pieces", frequentPieces(report.text)},
            {"length_histogram", s.lengthHistogram}};
}

std::string describeSet(const VerificationReport& report)
{
    std::string text =
        fmt::format("{} training and {} test {} in {}, {} long", report.trainingRows, report.testRows,
                    nounFor(report.testRows, "row"), counted(report.shards.size(), "shard"),
                    counted(static_cast<std::uint64_t>(report.sequenceLength), "token"));
    if (report.rules.masks())
        text += fmt::format(", at most {}",
                            counted(static_cast<std::uint64_t>(report.maxPredictions), "prediction"));
    return text + fmt::format(", vocabulary of {}\n", report.vocabularySize);
}

std::string describePieces(const TextFigures& text, const Figures& f)
{
    constexpr std::size_t most = 10;
    std::string line = fmt::format(
        "{} of the vocabulary {}, [UNK] {:.3f} %; most frequent:", counted(text.piecesUsed, "piece"),
        text.piecesUsed == 1 ? "occurs" : "occur", f.unknownPercent);
    for (std::size_t i = 0; i < std::min(most, text.mostFrequent.size()); ++i)
        line += fmt::format(" {} {:.1f} %{}", text.mostFrequent[i].text, text.mostFrequent[i].percent,
                            i + 1 < std::min(most, text.mostFrequent.size()) ? "," : "");
    return line + "\n";
}

} // namespace

std::string toJson(const VerificationReport& report)
{
    Json json{{"ok", report.ok()},
              {"has_manifest", report.hasManifest},
              {"objective", report.rules.task == TaskKind::None ? nameOf(report.rules.objective)
                                                                : nameOf(report.rules.task)},
              {"next_sentence", nameOf(report.rules.nextSentence)},
              {"whole_words", report.rules.wholeWords},
              {"provenance", report.rules.provenance},
              {"sequence_length", report.sequenceLength},
              {"max_predictions", report.maxPredictions},
              {"vocabulary_size", report.vocabularySize},
              {"training_rows", report.trainingRows},
              {"test_rows", report.testRows}};
    json["statistics"] = statisticsJson(report);
    json["shards"] = Json::array();
    for (const ShardEntry& shard : report.shards)
        json["shards"].push_back({{"file", shard.file},
                                  {"rows", shard.rows},
                                  {"training", shard.training},
                                  {"sha256", shard.sha256}});
    json["violations"] = Json::array();
    json["problems"] = Json::array();
    for (const Violation& violation : report.violations) {
        json["violations"].push_back(violationJson(violation));
        json["problems"].push_back(violation.text());
    }
    json["notes"] = report.notes;
    json["samples"] = Json::array();
    for (const SampleRow& sample : report.samples)
        json["samples"].push_back(sampleJson(sample));
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string toText(const VerificationReport& report)
{
    const Figures f(report);
    const DatasetStatistics& s = report.statistics;
    std::string text = describeSet(report);
    if (report.rules.task != TaskKind::None)
        text += fmt::format("{} ({} for test), {}\n", counted(s.documents, "example"), s.testDocuments,
                            counted(s.tokens, "token"));
    else if (report.hasManifest)
        text += fmt::format("{} ({} for test), {}, {}; {:.1f} rows per document\n",
                            counted(s.documents, "document"), s.testDocuments,
                            counted(s.sentences, "sentence"), counted(s.tokens, "token"), f.rowsPerDocument);
    text += fmt::format("mean length {:.1f}, full rows {:.1f} %, padding {:.1f} %", f.meanLength,
                        f.fullPercent, f.paddingPercent);
    if (report.rules.labels())
        text += fmt::format(", label 1 {:.1f} %", f.randomNextPercent);
    text += "\n";
    if (report.rules.masks())
        text +=
            fmt::format("{}: {:.2f} % [MASK], {:.2f} % kept, {:.2f} % random\n",
                        counted(s.masked, "masked position"), f.maskPercent, f.keptPercent, f.randomPercent);
    text += describePieces(report.text, f);
    for (const std::string& note : report.notes)
        text += "note: " + note + "\n";
    for (const SampleRow& sample : report.samples)
        text += "\n" + toText(sample);
    return text + "every invariant holds\n";
}

} // namespace trainyard
