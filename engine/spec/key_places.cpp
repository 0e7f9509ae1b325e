#include "engine/spec/key_places.h"

#include <fmt/format.h>

#include "engine/spec/field_list.h"

namespace trainyard {

std::string placesOfKey(std::string_view key)
{
    std::string text = key == "trainyard" ? "at the top level" : "";
    for (const ListedField& field : fieldList()) {
        if (field.key() != key)
            continue;
        text += text.empty() ? "" : " or ";
        text += field.section().empty() ? "at the top level" : fmt::format("under \"{}\"", field.section());
    }
    return text;
}

} // namespace trainyard
