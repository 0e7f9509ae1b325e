#include "datasets/tables/json_value.h"

#include <cmath>
#include <string>

#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>
#include <arrow/util/float16.h>

namespace trainyard {

namespace {

using OrderedJson = nlohmann::ordered_json;
using arrow::internal::checked_cast;

template <typename Array>
OrderedJson valueIn(const arrow::Array& column, std::int64_t row)
{
    return checked_cast<const Array&>(column).Value(row);
}

OrderedJson realValue(double value)
{
    if (std::isfinite(value))
        return value;
    return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

template <typename Array>
OrderedJson realIn(const arrow::Array& column, std::int64_t row)
{
    return realValue(static_cast<double>(checked_cast<const Array&>(column).Value(row)));
}

template <typename Array>
OrderedJson textIn(const arrow::Array& column, std::int64_t row)
{
    return std::string(checked_cast<const Array&>(column).GetView(row));
}

template <typename Array>
OrderedJson listIn(const arrow::Array& column, std::int64_t row)
{
    const auto& lists = checked_cast<const Array&>(column);
    OrderedJson list = OrderedJson::array();
    for (std::int64_t i = 0; i < lists.value_length(row); ++i)
        list.push_back(jsonAt(*lists.values(), lists.value_offset(row) + i));
    return list;
}

OrderedJson objectIn(const arrow::Array& column, std::int64_t row)
{
    const auto& members = checked_cast<const arrow::StructArray&>(column);
    OrderedJson object = OrderedJson::object();
    for (int i = 0; i < members.num_fields(); ++i)
        object[members.struct_type()->field(i)->name()] = jsonAt(*members.field(i), row);
    return object;
}

OrderedJson entryIn(const arrow::Array& column, std::int64_t row)
{
    const auto& entries = checked_cast<const arrow::DictionaryArray&>(column);
    return jsonAt(*entries.dictionary(), entries.GetValueIndex(row));
}

OrderedJson halfIn(const arrow::Array& column, std::int64_t row)
{
    return realValue(
        arrow::util::Float16::FromBits(checked_cast<const arrow::HalfFloatArray&>(column).Value(row))
            .ToDouble());
}

/// Seconds since 1970.
OrderedJson timeIn(const arrow::Array& column, std::int64_t row)
{
    const auto value = static_cast<double>(checked_cast<const arrow::TimestampArray&>(column).Value(row));
    switch (checked_cast<const arrow::TimestampType&>(*column.type()).unit()) {
    case arrow::TimeUnit::SECOND:
        return value;
    case arrow::TimeUnit::MILLI:
        return value / 1e3;
    case arrow::TimeUnit::MICRO:
        return value / 1e6;
    default:
        return value / 1e9;
    }
}

OrderedJson decimalIn(const arrow::Array& column, std::int64_t row)
{
    const auto scale = checked_cast<const arrow::Decimal128Type&>(*column.type()).scale();
    const auto* const bytes = checked_cast<const arrow::Decimal128Array&>(column).Value(row);
    return arrow::Decimal128(bytes).ToDouble(scale);
}

using ValueAt = OrderedJson (*)(const arrow::Array& column, std::int64_t row);

/// Null for types without one.
ValueAt valueAtOf(arrow::Type::type type)
{
    switch (type) {
    case arrow::Type::BOOL:
        return valueIn<arrow::BooleanArray>;
    case arrow::Type::INT8:
        return valueIn<arrow::Int8Array>;
    case arrow::Type::INT16:
        return valueIn<arrow::Int16Array>;
    case arrow::Type::INT32:
        return valueIn<arrow::Int32Array>;
    case arrow::Type::INT64:
        return valueIn<arrow::Int64Array>;
    case arrow::Type::UINT8:
        return valueIn<arrow::UInt8Array>;
    case arrow::Type::UINT16:
        return valueIn<arrow::UInt16Array>;
    case arrow::Type::UINT32:
        return valueIn<arrow::UInt32Array>;
    case arrow::Type::UINT64:
        return valueIn<arrow::UInt64Array>;
    case arrow::Type::HALF_FLOAT:
        return halfIn;
    case arrow::Type::FLOAT:
        return realIn<arrow::FloatArray>;
    case arrow::Type::DOUBLE:
        return realIn<arrow::DoubleArray>;
    case arrow::Type::DECIMAL128:
        return decimalIn;
    case arrow::Type::TIMESTAMP:
        return timeIn;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
        return textIn<arrow::BinaryArray>;
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
        return textIn<arrow::LargeBinaryArray>;
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
        return textIn<arrow::BinaryViewArray>;
    case arrow::Type::LIST:
        return listIn<arrow::ListArray>;
    case arrow::Type::LARGE_LIST:
        return listIn<arrow::LargeListArray>;
    case arrow::Type::FIXED_SIZE_LIST:
        return listIn<arrow::FixedSizeListArray>;
    case arrow::Type::STRUCT:
        return objectIn;
    case arrow::Type::DICTIONARY:
        return entryIn;
    default:
        return nullptr;
    }
}

} // namespace

nlohmann::ordered_json jsonAt(const arrow::Array& column, std::int64_t row)
{
    const ValueAt valueAt = valueAtOf(column.type_id());
    return valueAt && !column.IsNull(row) ? valueAt(column, row) : OrderedJson();
}

bool isJsonType(const arrow::DataType& type)
{
    return type.id() == arrow::Type::NA || valueAtOf(type.id()) != nullptr;
}

} // namespace trainyard
