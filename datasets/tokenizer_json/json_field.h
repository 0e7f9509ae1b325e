#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/result.h"

namespace trainyard {

/// A value of a JSON file with its place there ("model.vocab"), so that every error names it. Refers to the
/// value.
class JsonField {
public:
    JsonField(const nlohmann::json& value, std::string place) : m_value(&value), m_place(std::move(place)) {}

    const nlohmann::json& value() const { return *m_value; }
    const std::string& place() const { return m_place; }
    bool isNull() const { return m_value->is_null(); }

    /// The member of this object; null if it is absent.
    JsonField member(std::string_view key) const;
    /// The elements of this list; none if it is null.
    Result<std::vector<JsonField>> elements() const;

    /// BadInput if the value is of another type. Null stands for the default, if there is one.
    Result<std::string> text() const;
    Result<bool> flag(std::optional<bool> byDefault = {}) const;
    Result<std::int64_t> number() const;

    /// BadInput if this is no object or has a member that is not among `keys`.
    Status hasOnly(std::initializer_list<std::string_view> keys) const;

    /// `place is VALUE, which is not supported`.
    Error unsupported(std::string hint = {}) const;
    Error isNo(std::string_view type) const;

private:
    const nlohmann::json* m_value;
    std::string m_place;
};

} // namespace trainyard
