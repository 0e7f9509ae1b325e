#include "engine/hand_over/card_sections.h"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/hand_over/card_text.h"
#include "engine/spec/names.h"

namespace trainyard::card {

namespace {

constexpr std::size_t kMaxNamedFiles = 8;

std::string sizeOfRows(std::uint64_t training, std::uint64_t test)
{
    return test == 0 ? fmt::format("{}, none held out", grouped(training))
                     : fmt::format("{}, and {} held out", grouped(training), grouped(test));
}

std::string files(const std::vector<std::string>& dumps)
{
    std::vector<std::string> names;
    for (const std::string& dump : dumps) {
        if (names.size() < kMaxNamedFiles)
            names.push_back(plain(dump));
    }
    std::string text = fmt::format("{}", fmt::join(names, ", "));
    if (dumps.size() > names.size())
        text += fmt::format(" and {} more", dumps.size() - names.size());
    return text;
}

std::string taskObjective(const Manifest& data)
{
    switch (data.taskKind()) {
    case TaskKind::Classify:
        return fmt::format("the class of each row, one of {}", data.task.labels.size());
    case TaskKind::Regress:
        return "the number of each row";
    case TaskKind::Tag:
        return fmt::format("the label of each word, one of {}", data.task.labels.size());
    case TaskKind::Answer:
        return fmt::format("the answer in a text; rows of one text share {}",
                           groupedCount(data.task.docStride, "token"));
    default:
        return "the completion of a prompt";
    }
}

std::string objectiveText(const Manifest& data)
{
    const PreparationSettings& settings = data.settings;
    if (data.taskKind() != TaskKind::None)
        return taskObjective(data);
    if (settings.objective == "gpt")
        return "the next token of running text; [SEP] ends a document";
    std::string text =
        fmt::format("masked {}, {:.3g} % of all", settings.wholeWords ? "words as a whole" : "tokens",
                    100 * settings.maskedShare);
    if (settings.objective == "mlm" || settings.nextSentence == "none")
        return text;
    return text + (settings.nextSentence == "swap" ? ", and whether two sentences were swapped"
                                                   : ", and whether the second part follows the first");
}

std::string vocabularyText(const Manifest& data)
{
    return fmt::format("{} {}, {}, SHA-256 {}", grouped(std::int64_t{data.vocabularySize}),
                       data.hasTokenizerJson() ? "tokens (tokenizer.json)" : "WordPieces",
                       data.settings.cased ? "cased" : "uncased", plain(data.vocabularySha256));
}

/// "70.0 % (2.35 passes), 30.0 % (0.41 passes)", in the order of the inputs.
std::string sharesText(const std::vector<MixedSource>& sources)
{
    double all = 0;
    for (const MixedSource& source : sources)
        all += static_cast<double>(source.mixedTokens);
    std::vector<std::string> shares;
    for (const MixedSource& source : sources) {
        const auto mixed = static_cast<double>(source.mixedTokens);
        const double passes = source.tokens > 0 ? mixed / static_cast<double>(source.tokens) : 0;
        shares.push_back(fmt::format("{:.1f} % ({:.2f} passes)", all > 0 ? 100 * mixed / all : 0, passes));
    }
    return fmt::format("{}", fmt::join(shares, ", "));
}

Rows dataRows(const Manifest& data)
{
    const PreparationSettings& settings = data.settings;
    const DatasetStatistics& counts = data.statistics;
    const std::string documents = sizeOfRows(counts.documents - counts.testDocuments, counts.testDocuments);
    Rows rows{{"Files", files(settings.dumps)}};
    if (data.taskKind() != TaskKind::None) {
        if (!data.task.heldOut.empty())
            rows.push_back({"Files of the held-out examples", files(data.task.heldOut)});
        rows.push_back({"Labelled examples", documents});
    } else {
        rows.push_back({"Documents", documents});
        rows.push_back({"Sentences", grouped(counts.sentences)});
        rows.push_back({"Tokens of all documents", grouped(counts.tokens)});
    }
    rows.push_back({"Rows", sizeOfRows(data.trainingRows(), data.testRows())});
    rows.push_back({"Tokens in a row", fmt::format("at most {}", data.sequenceLength)});
    rows.push_back({"Task", objectiveText(data)});
    if (!data.sources.empty())
        rows.push_back({"Shares of the training tokens", sharesText(data.sources)});
    else if (settings.dupeFactor > 1)
        rows.push_back(
            {"Rows made of each document", fmt::format("{} times, masked differently", settings.dupeFactor)});
    rows.push_back({"Vocabulary", vocabularyText(data)});
    return rows;
}

/// What the table below it is of.
std::string mixText(const RunSpec& spec)
{
    if (!spec.dataset.isMix())
        return {};
    const std::string first = std::filesystem::path(spec.dataset.first()).filename().string();
    return fmt::format("Rows of several data sets were mixed: {}. This is the first one, {}.\n\n",
                       dataSetName(spec), plain(first));
}

} // namespace

std::string dataSetName(const RunSpec& spec)
{
    DatasetSpec named = spec.dataset; // paths of machines stay there
    named.path = std::filesystem::path(named.path).filename().string();
    for (MixedDataSet& set : named.mix)
        set.path = std::filesystem::path(set.path).filename().string();
    return plain(named.text());
}

std::string data(const CardFacts& facts)
{
    std::string text = "\n## Training data\n\n";
    if (facts.dataSet)
        return text + mixText(facts.phase()) + table({"", ""}, dataRows(*facts.dataSet));
    return text + fmt::format("The data set \"{}\" was not available when this card was written.\n",
                              dataSetName(facts.phase()));
}

} // namespace trainyard::card
