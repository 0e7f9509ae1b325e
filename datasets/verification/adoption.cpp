#include "datasets/verification/adoption.h"

#include <algorithm>

#include <fmt/format.h>

#include "datasets/tokenizer/unicode_tables.h"
#include "datasets/tokenizer/vocabulary.h"
#include "datasets/verification/verification.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxNamedViolations = 5;

Error asError(const fs::path& folder, const VerificationReport& report)
{
    std::string message = fmt::format("{}: its rows break {} rule{}", folder.string(),
                                      report.violations.size(), report.violations.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < std::min(kMaxNamedViolations, report.violations.size()); ++i)
        message += "\n" + report.violations[i].text();
    return badInput(message, "is --vocab the vocabulary that the shards were made with?");
}

void holdOutByName(std::vector<ShardEntry>& shards)
{
    if (std::ranges::any_of(shards, &ShardEntry::training))
        return;
    for (ShardEntry& shard : shards)
        shard.training =
            shard.file.find("test") == std::string::npos && shard.file.find("valid") == std::string::npos;
}

/// Beside the shards, under its own name where it lies there already.
Result<std::string> placeVocabulary(const fs::path& folder, const fs::path& vocabulary)
{
    std::error_code ignored;
    const fs::path own = folder / vocabulary.filename();
    if (fs::equivalent(own, vocabulary, ignored))
        return vocabulary.filename().string();
    TRAINYARD_TRY(const std::string content, readFile(vocabulary));
    const fs::path copy = folder / "vocab.txt";
    if (fs::exists(copy, ignored)) {
        TRAINYARD_TRY(const std::string there, readFile(copy));
        if (there != content)
            return refused(copy.string() + " is another vocabulary",
                           "give that one with --vocab, or move it away");
    } else {
        TRAINYARD_TRY_STATUS(writeFileAtomically(copy, content));
    }
    return copy.filename().string();
}

/// Its training shards first, as in every manifest.
std::vector<ShardEntry> inOrder(std::vector<ShardEntry> shards)
{
    std::ranges::stable_partition(shards, &ShardEntry::training);
    return shards;
}

Manifest manifestOf(const VerificationReport& report, bool cased)
{
    Manifest manifest;
    manifest.toolVersion = TRAINYARD_VERSION;
    manifest.sequenceLength = report.sequenceLength;
    manifest.maxPredictions = report.maxPredictions;
    manifest.vocabularySize = static_cast<int>(report.vocabularySize);
    manifest.shards = inOrder(report.shards);
    manifest.statistics = report.statistics;
    PreparationSettings& settings = manifest.settings;
    settings.corpus =
        manifest.shards.front().file.substr(0, manifest.shards.front().file.find_first_of("_."));
    settings.format = kAdoptedFormat;
    settings.cased = cased;
    settings.tokenizerProfile = huggingFaceTables().profile;
    settings.objective = nameOf(report.rules.objective);
    settings.nextSentence = nameOf(report.rules.nextSentence);
    settings.maskedShare = report.rules.maskedShare;
    settings.provenance = report.rules.provenance;
    return manifest;
}

} // namespace

Result<Manifest> adoptDataset(const fs::path& folder, const fs::path& vocabulary, Progress& progress,
                              const CancelFlag& cancel)
{
    std::error_code ignored;
    if (fs::exists(folder / Manifest::kFileName, ignored))
        return refused(folder.string() + " has a manifest already", "check it with `trainyard verify`");
    if (vocabulary.extension() == ".json")
        return badInput(fmt::format("--vocab {} is no vocab.txt", vocabulary.string()),
                        "shards of other tools are adopted with the vocab.txt of a WordPiece");
    TRAINYARD_TRY(VerificationReport report, verifyDataset({folder, vocabulary}, progress, cancel));
    if (!report.ok())
        return asError(folder, report);
    holdOutByName(report.shards);
    TRAINYARD_TRY(const Vocabulary pieces, Vocabulary::load(vocabulary));
    Manifest manifest = manifestOf(report, pieces.looksCased());
    TRAINYARD_TRY(manifest.vocabularyFile, placeVocabulary(folder, vocabulary));
    TRAINYARD_TRY(manifest.vocabularySha256, sha256OfFile(folder / manifest.vocabularyFile));
    TRAINYARD_TRY_STATUS(writeFileAtomically(folder / Manifest::kFileName, manifest.toJson()));
    return manifest;
}

} // namespace trainyard
