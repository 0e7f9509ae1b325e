// Writes as the run, the desk and the agent do, and says on stdout only what it was promised:
//     careful_writer journal FOLDER     "journal N" after each append that succeeded, "synced N"
//     careful_writer mirror FOLDER      "mirror N" after N bytes that the mirror says it holds
//     careful_writer blob FOLDER        "blob SHA256" when the store says that it has it
// Status 0 when everything worked, 1 when something was refused.
#include <cstdio>
#include <string>

#include "engine/base/hash.h"
#include "engine/records/buffered_journal_writer.h"
#include "remote/agent/store/part_file.h"
#include "remote/stream/stream_mirror.h"

using namespace trainyard;

namespace {

int refusedWith(const Error& error)
{
    std::fprintf(stderr, "%s\n", error.text().c_str());
    return 1;
}

StepRecord step(int number)
{
    StepRecord record;
    record.step = number;
    record.ranks.resize(3);
    return record;
}

int writeJournal(const std::string& folder)
{
    auto journal = BufferedJournalWriter::open(folder, "steps", 1);
    if (!journal.ok())
        return refusedWith(journal.error());
    for (int i = 1; i <= 10; ++i) {
        if (const Status written = journal->append(step(i)); !written.ok())
            return refusedWith(written.error());
        if (!journal->isWaiting())
            std::printf("journal %d\n", i);
    }
    if (const Status synced = journal->sync(); !synced.ok())
        return refusedWith(synced.error());
    std::printf("synced 10\n");
    return 0;
}

/// The bytes of a journal, made before anything fails.
Result<std::string> journalBytes(const std::string& folder)
{
    return readFile(folder + "/source/steps");
}

int writeMirror(const std::string& folder)
{
    const auto bytes = journalBytes(folder);
    if (!bytes.ok())
        return refusedWith(bytes.error());
    auto mirror = StreamMirror::open(folder + "/mirror/steps");
    if (!mirror.ok())
        return refusedWith(mirror.error());
    while (!mirror->replayed()) {
        if (const auto replayed = mirror->replayMore(); !replayed.ok())
            return refusedWith(replayed.error());
    }
    for (std::size_t at = mirror->validBytes(); at < bytes->size(); at += 100) {
        if (const auto records = mirror->append(std::string_view(*bytes).substr(at, 100)); !records.ok())
            return refusedWith(records.error());
        if (mirror->lastWriteError().ok())
            std::printf("mirror %llu\n", static_cast<unsigned long long>(mirror->validBytes()));
    }
    return mirror->lastWriteError().ok() ? 0 : refusedWith(mirror->lastWriteError().error());
}

int writeBlob(const std::string& folder)
{
    const std::string content(300'000, 'b');
    agent::BlobUpload upload{sha256Hex(content), content.size(), 0};
    const agent::BlobStore store(folder);
    auto part = agent::PartFile::open(store, upload);
    if (!part.ok())
        return refusedWith(part.error());
    for (std::size_t at = 0; at < content.size(); at += 100'000) {
        if (const Status taken = (*part)->append(content.substr(at, 100'000)); !taken.ok())
            return refusedWith(taken.error());
    }
    if (const Status stored = (*part)->finish(); !stored.ok())
        return refusedWith(stored.error());
    std::printf("blob %s\n", upload.sha256.c_str());
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3)
        return 2;
    std::setvbuf(stdout, nullptr, _IOLBF, 4096);
    const std::string what = argv[1];
    if (what == "journal")
        return writeJournal(argv[2]);
    return what == "mirror" ? writeMirror(argv[2]) : writeBlob(argv[2]);
}
