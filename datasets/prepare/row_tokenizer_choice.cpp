#include "datasets/prepare/row_tokenizer_choice.h"

#include <fmt/format.h>

#include "datasets/prepare/corpus_stages.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

Result<RowTokenizer> loadWordPiece(const PrepareOptions& options, const fs::path& vocabulary)
{
    TRAINYARD_TRY(Vocabulary pieces, Vocabulary::load(vocabulary));
    return rowTokenizerOf(std::move(pieces), *unicodeTables(options.profile), options.cased);
}

Status checkSpecialTokens(const PrepareOptions& options, const SpecialTokens& special)
{
    if (options.instances.objective == Objective::Tokens)
        return {};
    struct Need {
        std::int32_t id;
        const char* role;
        const char* names;
    };
    for (const Need& need : {Need{special.classify, "cls_token", "[CLS] or <s>"},
                             Need{special.separator, "sep_token", "[SEP] or </s>"},
                             Need{special.mask, "mask_token", "[MASK] or <mask>"}}) {
        if (need.id == SpecialTokens::kNone)
            return badInput(
                fmt::format("--tokenizer {} has no {}, which --objective {} needs",
                            options.tokenizer.string(), need.names, nameOf(options.instances.objective)),
                fmt::format(
                    "use --objective gpt, or a tokenizer that has one; special_tokens_map.json beside "
                    "it may name it (\"{}\")",
                    need.role));
    }
    return {};
}

/// Trains with `train` unless an earlier process for this job did.
template <typename Train>
Result<fs::path> trainedFile(const fs::path& kept, Train train)
{
    std::error_code ignored;
    if (!fs::exists(kept, ignored)) {
        TRAINYARD_TRY(const std::string text, train());
        TRAINYARD_TRY_STATUS(writeFileAtomically(kept, text));
    }
    return kept;
}

} // namespace

TokenizerDescription descriptionOf(const RowTokenizer& tokenizer)
{
    TokenizerDescription description;
    if (!tokenizer.isTokenizerJson())
        return description;
    for (const auto& [name, content] : tokenizer.smallFiles)
        description.files[name] = sha256Hex(content);
    description.special = idsByRole(tokenizer.vocabulary.special());
    return description;
}

Result<RowTokenizer> loadTokenizerFor(const PrepareOptions& options)
{
    if (options.tokenizer.empty())
        return loadWordPiece(options, options.vocabulary);
    auto tokenizer = loadRowTokenizer(options.tokenizer);
    if (tokenizer.ok())
        return tokenizer;
    Error error = tokenizer.error().in("--tokenizer");
    if (error.hint.empty())
        error.hint = "give a tokenizer.json as Hugging Face tokenizers write it";
    return error;
}

Result<RowTokenizer> loadOrTrainTokenizer(const PrepareOptions& options, const fs::path& scratch,
                                          Progress& progress, const CancelFlag& cancel)
{
    if (options.trainVocabulary > 0) {
        TRAINYARD_TRY(const fs::path trained, trainedFile(scratch / RowTokenizer::kVocabularyFile, [&] {
                          return trainVocabularyOnDumps(options, progress, cancel);
                      }));
        return loadWordPiece(options, trained);
    }
    if (options.trainTokenizer > 0) {
        TRAINYARD_TRY(const fs::path trained, trainedFile(scratch / RowTokenizer::kTokenizerFile, [&] {
                          return trainTokenizerOnDumps(options, progress, cancel);
                      }));
        return loadRowTokenizer(trained);
    }
    TRAINYARD_TRY(RowTokenizer tokenizer, loadTokenizerFor(options));
    TRAINYARD_TRY_STATUS(checkSpecialTokens(options, tokenizer.vocabulary.special()));
    return tokenizer;
}

} // namespace trainyard
