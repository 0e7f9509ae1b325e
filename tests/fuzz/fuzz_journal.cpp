#include "engine/base/check.h"
#include "engine/records/codec.h"
#include "engine/records/journal.h"
#include "engine/records/untrusted_records.h"
#include "remote/stream/stream_mirror.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

namespace {

std::size_t replay(const std::filesystem::path& file)
{
    auto mirror = StreamMirror::open(file);
    TRAINYARD_CHECK(mirror.ok());
    std::size_t count = 0;
    while (!mirror->replayed()) {
        auto records = mirror->replayMore();
        TRAINYARD_CHECK(records.ok());
        sanitizeRecords(*records);
        count += records->size();
    }
    return count;
}

} // namespace

/// The bytes of a journal, as a host may have it or send it. Whatever they are: a mirror cuts them to whole
/// records that it reads again the same, a writer goes on behind them, and no piece is passed on that the
/// reader does not take.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const ScratchFolder folder;
    const std::string_view bytes = bytesOf(data, size);

    const auto mirror = folder.write("mirror", bytes);
    const std::size_t count = replay(mirror);
    TRAINYARD_CHECK(replay(mirror) == count);
    const auto end = scanJournal(mirror, [](std::vector<Record>) {});
    TRAINYARD_CHECK(end.ok() && !end->damage && end->validBytes == std::filesystem::file_size(mirror));

    const auto whole = completeFrames(bytes, 0);
    TRAINYARD_CHECK(!whole.ok() || *whole <= size);

    folder.write("steps", bytes);
    if (auto writer = JournalWriter::open(folder.path(), "steps", 1); writer.ok()) {
        TRAINYARD_CHECK(writer->append(StateRecord{}).ok());
        const auto after = scanJournal(folder.path() / "steps", [](std::vector<Record>) {});
        TRAINYARD_CHECK(after.ok() && !after->damage && after->lastSequence > end->lastSequence);
    }
    std::filesystem::remove(folder.path() / "steps.damaged");
    return 0;
}
