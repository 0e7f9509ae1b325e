#include "engine/base/check.h"
#include "remote/wire/greeting.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

/// What a login shell and whatever runs there print before the agent speaks. The first byte says in what
/// pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::string nonce = "0123456789abcdef0123456789abcdef";
    if (size == 0)
        return 0;
    const std::string_view bytes = bytesOf(data, size).substr(1);
    const std::size_t piece = 1 + data[0] % 64;
    GreetingScanner scanner(nonce);
    bool found = false;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        const auto fed = scanner.feed(bytes.substr(at, piece));
        if (!fed.ok())
            break;
        found = *fed;
    }
    const std::size_t at = bytes.find(greetingLine(nonce));
    TRAINYARD_CHECK(found == (at != std::string_view::npos));
    TRAINYARD_CHECK(!found || scanner.rest() == bytes.substr(at + greetingLine(nonce).size()));
    for (const unsigned char c : scanner.noise())
        TRAINYARD_CHECK(c >= 0x20 && c != 0x7f);
    [[maybe_unused]] const bool start = isStartLine(bytes);
    return 0;
}
