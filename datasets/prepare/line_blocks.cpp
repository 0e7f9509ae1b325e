#include "datasets/prepare/line_blocks.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;

} // namespace

Result<std::optional<LineBlock>> LineReader::next()
{
    LineBlock block{std::move(m_rest), m_line};
    m_rest.clear();
    for (std::size_t lines = 0; std::cin && lines == 0;) {
        const std::size_t before = block.text.size();
        block.text.resize(before + kBlockBytes);
        std::cin.read(block.text.data() + before, kBlockBytes);
        block.text.resize(before + static_cast<std::size_t>(std::cin.gcount()));
        const std::size_t end = block.text.rfind('\n');
        if (std::cin && end != block.text.npos) {
            m_rest = block.text.substr(end + 1);
            block.text.resize(end + 1);
            lines = static_cast<std::size_t>(std::ranges::count(block.text, '\n'));
            m_line += lines;
        }
    }
    return block.text.empty() ? std::nullopt : std::optional(std::move(block));
}

Error notATextLine(std::size_t number)
{
    return badInput(fmt::format("line {} is not {{\"text\": \"...\"}}", number),
                    "use one JSON object per line, in UTF-8");
}

} // namespace trainyard
