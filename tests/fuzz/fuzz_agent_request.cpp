#include "engine/base/check.h"
#include "remote/agent/serve/request.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;
using namespace trainyard::agent;

/// A message that a client sends to the agent. Every error can be sent back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::uint32_t id = 0;
    const auto request = parseRequest(std::string(bytesOf(data, size)), id);
    if (!request.ok()) {
        TRAINYARD_CHECK(!errorText(id, request.error()).empty());
        return 0;
    }
    TRAINYARD_CHECK(request->id == id && id > 0);
    const Fields fields(request->body);
    for (const char* name : {"run", "spec", "offset", "files", "sha256"}) {
        if (const auto text = fields.text(name); !text.ok())
            TRAINYARD_CHECK(!errorText(id, text.error()).empty());
        [[maybe_unused]] const auto number = fields.numberOr(name, 0, 0, INT64_MAX);
        [[maybe_unused]] const auto flag = fields.flagOr(name, false);
        [[maybe_unused]] const auto list = fields.list(name, 100);
        [[maybe_unused]] const auto hash = sha256Field(request->body, name);
        if (const auto document = fields.document(name); document.ok())
            TRAINYARD_CHECK(document->size() < 64 * size + 64); // indented, but not without bounds
    }
    TRAINYARD_CHECK(!replyText(id, request->body).empty());
    return 0;
}
