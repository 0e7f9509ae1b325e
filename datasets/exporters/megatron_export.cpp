#include "datasets/exporters/megatron_export.h"

#include "datasets/exporters/indexed_dataset_writer.h"

namespace trainyard {

namespace {

Status appendSentences(const Document& document, IndexedDatasetWriter& writer)
{
    for (std::size_t i = 0; i < document.sentences(); ++i) {
        TRAINYARD_TRY_STATUS(writer.append(document.sentence(i)));
        TRAINYARD_TRY_STATUS(writer.endSequence());
    }
    return {};
}

Status appendComplete(const Document& document, std::int32_t endOfDocument, IndexedDatasetWriter& writer)
{
    TRAINYARD_TRY_STATUS(writer.append(document.tokens));
    if (endOfDocument >= 0)
        TRAINYARD_TRY_STATUS(writer.append(std::span<const std::int32_t>(&endOfDocument, 1)));
    return writer.endSequence();
}

} // namespace

Result<std::vector<ExportEntry>> exportMegatron(const MegatronExport& settings,
                                                const DocumentSource& documents,
                                                const std::vector<std::uint32_t>& ordinals,
                                                const std::filesystem::path& folder,
                                                const PieceDone& pieceDone)
{
    const bool sentences = settings.unit == MegatronExport::Unit::Sentence;
    const std::string name = settings.name + (sentences ? "_text_sentence" : "_text_document");
    TRAINYARD_TRY(IndexedDatasetWriter writer,
                  IndexedDatasetWriter::create(folder / name, settings.vocabularySize));
    for (const std::uint32_t ordinal : ordinals) {
        const Document document = documents.document(ordinal);
        TRAINYARD_TRY_STATUS(sentences ? appendSentences(document, writer)
                                       : appendComplete(document, settings.endOfDocument, writer));
        TRAINYARD_TRY_STATUS(writer.endDocument());
        TRAINYARD_TRY_STATUS(pieceDone(1));
    }
    TRAINYARD_TRY(const auto digests, writer.finish());
    return std::vector<ExportEntry>{{name + ".bin", digests.bin.bytes, digests.bin.sha256},
                                    {name + ".idx", digests.idx.bytes, digests.idx.sha256}};
}

} // namespace trainyard
