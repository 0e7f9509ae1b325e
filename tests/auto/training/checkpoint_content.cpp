#include "tests/auto/training/checkpoint_content.h"

#include <span>

#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/checkpoint_reader.h"
#include "tests/support/checkpoint/small_checkpoint.h"

namespace trainyard {

Result<std::string> contentOf(const std::filesystem::path& checkpoint)
{
    TRAINYARD_TRY(auto reader, CheckpointReader::open(checkpoint));
    std::string content;
    for (const LogicalTensor& tensor : reader.manifest().tensors) {
        std::string bytes(std::size_t(elementCount(tensor.shape)) * byteSize(tensor.type), '\0');
        TRAINYARD_TRY_STATUS(reader.read(tensor.name, std::as_writable_bytes(std::span(bytes))));
        content += bytes;
    }
    return content;
}

Result<std::string> latestContentOf(const std::filesystem::path& runDirectory)
{
    TRAINYARD_TRY(const auto latest, startingCheckpoint(runDirectory / "checkpoints"));
    return latest ? contentOf(*latest) : badInput("no checkpoint in " + runDirectory.string());
}

} // namespace trainyard
