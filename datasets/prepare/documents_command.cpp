#include "datasets/prepare/commands.h"

#include <memory>

#include <fmt/format.h>

#include "datasets/options/prepare_command_line.h"
#include "datasets/prepare/document_part.h"
#include "datasets/prepare/job_place.h"
#include "engine/base/counted.h"
#include "engine/base/standard_streams.h"

namespace trainyard {

namespace {

struct DocumentsArguments {
    PrepareOptions options;
    JobPlace place;
};

Status makeDocuments(const DocumentsArguments& arguments)
{
    TRAINYARD_TRY(const auto part, arguments.place.watch(
                                       [&](Progress& progress, const CancelFlag& cancel) {
                                           return prepareDocuments(arguments.options, progress, cancel);
                                       },
                                       arguments.options.out));
    const DocumentStore::Mark& made = part.corpus.documents;
    printOutput(fmt::format("{}\n{}, {}, {}\n", arguments.options.out.string(),
                            counted(made.documents, "document"), counted(made.sentences, "sentence"),
                            counted(made.tokens, "token")));
    return {};
}

} // namespace

Command addDocumentsCommand(CLI::App& app)
{
    auto arguments = std::make_shared<DocumentsArguments>();
    CLI::App* command = app.add_subcommand(
        "documents", "turn a part of a corpus into tokenized documents, for `prepare --documents` to join");
    command->footer("Example:\n  trainyard-prepare documents part-1.xml.bz2 --vocab vocab.txt --out part-1");
    addDocumentsOptions(*command, arguments->options);
    arguments->place.addOptions(*command);
    return {command, [arguments] { return makeDocuments(*arguments); }};
}

} // namespace trainyard
