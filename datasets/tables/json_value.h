#pragma once

#include <arrow/array.h>
#include <nlohmann/json.hpp>

namespace trainyard {

/// The value of a row: null, true, numbers, texts, lists and structs of these; times as seconds since 1970
/// UTC, decimals as numbers, dictionaries as what their entries say, numbers that JSON lacks as "NaN",
/// "Infinity" and
/// "-Infinity". Null for types that JSON has no word for (isJsonType()). Requires ValidateFull().
nlohmann::ordered_json jsonAt(const arrow::Array& column, std::int64_t row);

bool isJsonType(const arrow::DataType& type);

} // namespace trainyard
