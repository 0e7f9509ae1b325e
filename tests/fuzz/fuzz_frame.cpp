#include "engine/base/check.h"
#include "remote/wire/frame.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

namespace {

/// What the parser makes of the bytes: the frames written again, and whether it met an error.
std::string parse(std::string_view bytes, std::size_t piece, bool& broken)
{
    FrameParser parser;
    std::string again;
    broken = false;
    for (std::size_t at = 0; at < bytes.size() && !broken; at += piece) {
        parser.feed(bytes.substr(at, piece));
        for (;;) {
            const auto frame = parser.next();
            broken = !frame.ok();
            if (broken || !*frame)
                break;
            again += (*frame)->type == FrameType::Message ? encodeMessage((*frame)->payload)
                                                          : encodeChunk((*frame)->request, (*frame)->payload);
        }
    }
    return again;
}

} // namespace

/// Bytes that should be frames. The first one says in what pieces they arrive; that makes no difference.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view bytes = bytesOf(data, size).substr(1);
    bool broken = false, brokenAtOnce = false;
    const std::string again = parse(bytes, 1 + data[0] % 64, broken);
    TRAINYARD_CHECK(bytes.starts_with(again));
    TRAINYARD_CHECK(again == parse(bytes, bytes.size() + 1, brokenAtOnce) && broken == brokenAtOnce);
    return 0;
}
