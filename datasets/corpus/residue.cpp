#include "datasets/corpus/residue.h"

#include <algorithm>

#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

/// The size of "__TOC__", "__БЕЗ_ОГЛ__", ... at the start of the text; 0 if there is none. Names with small
/// letters ("__init__") are words of programs.
std::size_t switchSize(string_view text)
{
    constexpr std::size_t kMaxSwitch = 80;
    if (!text.starts_with("__"))
        return 0;
    const auto end = text.substr(0, kMaxSwitch).find("__", 2);
    if (end == string_view::npos || end == 2)
        return 0;
    const string_view name = text.substr(2, end - 2);
    const bool word = std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    });
    return word ? end + 2 : 0;
}

/// The size of the residue at the start of the text; 0 if there is none.
std::size_t residueSize(string_view text)
{
    if (text.starts_with("~~~"))
        return std::min(text.find_first_not_of('~'), text.size());
    return switchSize(text);
}

bool isPair(char first, char second)
{
    static constexpr string_view pairs[]{"{{", "}}", "[[", "]]", "{|", "|}"};
    const char both[]{first, second};
    return contains(pairs, string_view(both, 2));
}

/// Searched in the kept text, so that the removal of one residue cannot form another.
void keepCharacter(char c, std::string& out)
{
    if (!out.empty() && isPair(out.back(), c)) {
        out.pop_back();
        return;
    }
    out += c;
    for (const string_view mark : {"<!--", "-->"}) {
        if (out.ends_with(mark))
            out.resize(out.size() - mark.size());
    }
}

} // namespace

std::string withoutResidue(string_view line)
{
    static constexpr ByteSet starts("{}[]|->~_");
    std::string out;
    out.reserve(line.size());
    for (std::size_t at = 0;;) {
        const std::size_t plain = starts.find(line, at);
        out.append(line.substr(at, plain - at));
        if (plain == line.size())
            return out;
        const std::size_t size = residueSize(line.substr(plain));
        if (size == 0)
            keepCharacter(line[plain], out);
        at = plain + std::max<std::size_t>(size, 1);
    }
}

} // namespace trainyard
