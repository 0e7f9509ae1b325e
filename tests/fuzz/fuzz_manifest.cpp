#include "datasets/shards/manifest.h"
#include "engine/base/check.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

/// A manifest.json. One that is accepted comes back the same when it is written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const ScratchFolder folder;
    folder.write(Manifest::kFileName, bytesOf(data, size));
    const auto manifest = Manifest::load(folder.path());
    if (!manifest.ok()) {
        TRAINYARD_CHECK(!manifest.error().message.empty());
        return 0;
    }
    const std::string written = manifest->toJson();
    folder.write(Manifest::kFileName, written);
    const auto again = Manifest::load(folder.path());
    TRAINYARD_CHECK(again.ok() && again->toJson() == written);
    return 0;
}
