#include "app/exchange/event_message.h"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "app/exchange/protocol_buffer.h"

namespace trainyard {

namespace {

// Numbers of fields, under the names that the .proto files give them.
namespace event {
constexpr std::uint32_t kWallTime = 1;
constexpr std::uint32_t kStep = 2;
constexpr std::uint32_t kFileVersion = 3;
constexpr std::uint32_t kSummary = 5;
constexpr std::uint32_t kSessionLog = 7;
} // namespace event
namespace session_log {
constexpr std::uint32_t kStatus = 1;
constexpr std::uint64_t kStart = 1;
} // namespace session_log
namespace summary {
constexpr std::uint32_t kValue = 1;
constexpr std::uint32_t kTag = 1;
constexpr std::uint32_t kSimpleValue = 2;
constexpr std::uint32_t kTensor = 8;
constexpr std::uint32_t kMetadata = 9;
constexpr std::uint32_t kPluginData = 1; // of the metadata
constexpr std::uint32_t kPluginName = 1; // of the plugin data
constexpr std::uint32_t kPluginContent = 2;
} // namespace summary
namespace hparams {
constexpr std::uint32_t kSessionStart = 3;
constexpr std::uint32_t kEntry = 1; // of the start's map
constexpr std::uint32_t kKey = 1;   // of an entry
constexpr std::uint32_t kValue = 2;
constexpr std::uint32_t kNumber = 2; // of a value, google/protobuf/struct.proto
constexpr std::uint32_t kString = 3;
constexpr std::uint32_t kBool = 4;
} // namespace hparams
namespace tensor {
constexpr std::uint32_t kType = 1;
constexpr std::uint32_t kShape = 2;
constexpr std::uint32_t kDimension = 2; // of the shape
constexpr std::uint32_t kSize = 1;      // of a dimension
constexpr std::uint32_t kContent = 4;
constexpr std::uint32_t kFloat = 5;
constexpr std::uint32_t kDouble = 6;
constexpr std::uint32_t kInt = 7;
constexpr std::uint32_t kString = 8;
constexpr std::uint32_t kInt64 = 10;
constexpr std::uint32_t kBool = 11;
constexpr std::uint32_t kHalf = 13; // and bfloat16
} // namespace tensor

// tensorflow/core/framework/types.proto
enum Type : std::uint64_t {
    Float = 1,
    Double = 2,
    Int32 = 3,
    String = 7,
    Int64 = 9,
    BFloat16 = 14,
    Half = 19,
};

double fromHalf(std::uint32_t bits)
{
    const int exponent = int(bits >> 10) & 0x1f;
    const double fraction = double(bits & 0x3ff) / 1024;
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 0x1f)
        return fraction == 0 ? sign * INFINITY : std::nan("");
    return exponent == 0 ? sign * std::ldexp(fraction, -14) : sign * std::ldexp(1 + fraction, exponent - 15);
}

double fromBits(std::uint64_t bits, std::uint64_t type)
{
    switch (type) {
    case Double:
        return std::bit_cast<double>(bits);
    case Float:
        return std::bit_cast<float>(std::uint32_t(bits));
    case Half:
        return fromHalf(std::uint32_t(bits));
    case BFloat16:
        return std::bit_cast<float>(std::uint32_t(bits) << 16);
    case Int32:
        return double(std::int32_t(bits));
    default:
        return double(std::int64_t(bits));
    }
}

/// Bytes of one number in a tensor's content; 0 = another type.
std::size_t sizeOf(std::uint64_t type)
{
    switch (type) {
    case Double:
    case Int64:
        return 8;
    case Float:
    case Int32:
        return 4;
    case Half:
    case BFloat16:
        return 2;
    default:
        return 0;
    }
}

std::uint64_t littleEndian(std::string_view bytes)
{
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bits |= std::uint64_t(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return bits;
}

/// The first of a repeated number, packed or not.
std::optional<std::uint64_t> firstBits(const ProtoField& field, std::size_t fixedBytes)
{
    if (field.kind != ProtoField::Kind::Bytes)
        return field.bits;
    if (fixedBytes > 0)
        return field.bytes.size() >= fixedBytes
                   ? std::optional(littleEndian(field.bytes.substr(0, fixedBytes)))
                   : std::nullopt;
    // A packed varint reads like the value of a field: give it a key of its own.
    const std::string message = "\x08" + std::string(field.bytes.substr(0, 10));
    const auto first = ProtoReader(message).next();
    return first ? std::optional(first->bits) : std::nullopt;
}

/// Number of elements: the product of the dimensions, 1 without any.
double elementsOf(std::string_view shape)
{
    double elements = 1;
    ProtoReader dimensions(shape);
    while (const auto dimension = dimensions.next()) {
        if (dimension->number != tensor::kDimension)
            continue;
        ProtoReader sizes(dimension->bytes);
        while (const auto size = sizes.next()) {
            if (size->number == tensor::kSize)
                elements *= double(std::int64_t(size->bits));
        }
    }
    return elements;
}

void readTensor(std::string_view message, EventValue& value)
{
    std::uint64_t type = 0;
    std::string_view content;
    std::optional<std::uint64_t> bits;
    double elements = 1;
    ProtoReader fields(message);
    while (const auto field = fields.next()) {
        switch (field->number) {
        case tensor::kType:
            type = field->bits;
            break;
        case tensor::kShape:
            elements = elementsOf(field->bytes);
            break;
        case tensor::kContent:
            content = field->bytes;
            break;
        case tensor::kFloat:
            bits = firstBits(*field, 4);
            break;
        case tensor::kDouble:
            bits = firstBits(*field, 8);
            break;
        case tensor::kInt:
        case tensor::kInt64:
        case tensor::kBool:
        case tensor::kHalf:
            bits = firstBits(*field, 0);
            break;
        case tensor::kString:
            value.text = field->bytes;
            break;
        default:
            break;
        }
    }
    const std::size_t size = sizeOf(type);
    if (!bits && size > 0 && content.size() == size)
        bits = littleEndian(content);
    if (bits && type != String && elements == 1)
        value.number = fromBits(*bits, type);
}

struct PluginData {
    std::string_view name;
    std::string_view content;
};

PluginData pluginOf(std::string_view metadata)
{
    PluginData data;
    ProtoReader fields(metadata);
    while (const auto field = fields.next()) {
        if (field->number != summary::kPluginData)
            continue;
        ProtoReader plugin(field->bytes);
        while (const auto part = plugin.next()) {
            if (part->number == summary::kPluginName)
                data.name = part->bytes;
            else if (part->number == summary::kPluginContent)
                data.content = part->bytes;
        }
    }
    return data;
}

EventValue readValue(std::string_view message)
{
    EventValue value;
    PluginData plugin;
    ProtoReader fields(message);
    while (const auto field = fields.next()) {
        if (field->number == summary::kTag)
            value.tag = field->bytes;
        else if (field->number == summary::kSimpleValue && field->kind == ProtoField::Kind::Fixed32)
            value.number = field->asFloat();
        else if (field->number == summary::kTensor)
            readTensor(field->bytes, value);
        else if (field->number == summary::kMetadata)
            plugin = pluginOf(field->bytes);
    }
    if (plugin.name != "text")
        value.text.reset();
    if (plugin.name == "hparams")
        value.hyperparameters = plugin.content;
    return value;
}

void readSummary(std::string_view message, std::vector<EventValue>& values)
{
    ProtoReader fields(message);
    while (const auto field = fields.next()) {
        if (field->number != summary::kValue || field->kind != ProtoField::Kind::Bytes)
            continue;
        const EventValue value = readValue(field->bytes);
        if (!value.tag.empty() && (value.number || value.text || value.hyperparameters))
            values.push_back(value);
    }
}

bool isStart(std::string_view sessionLog)
{
    ProtoReader fields(sessionLog);
    while (const auto field = fields.next()) {
        if (field->number == session_log::kStatus)
            return field->bits == session_log::kStart;
    }
    return false;
}

std::optional<std::string> valueOfHyperparameter(std::string_view message)
{
    ProtoReader fields(message);
    while (const auto field = fields.next()) {
        if (field->number == hparams::kNumber && field->kind == ProtoField::Kind::Fixed64)
            return fmt::format("{}", field->asDouble());
        if (field->number == hparams::kString)
            return std::string(field->bytes);
        if (field->number == hparams::kBool)
            return field->bits != 0 ? "true" : "false";
    }
    return std::nullopt;
}

void addHyperparameter(std::string_view entry, std::vector<std::pair<std::string, std::string>>& all)
{
    std::string_view key;
    std::optional<std::string> value;
    ProtoReader fields(entry);
    while (const auto field = fields.next()) {
        if (field->number == hparams::kKey)
            key = field->bytes;
        else if (field->number == hparams::kValue)
            value = valueOfHyperparameter(field->bytes);
    }
    if (!key.empty() && value)
        all.emplace_back(key, *value);
}

std::string withValue(double wallSeconds, std::int64_t step, const ProtoWriter& value)
{
    ProtoWriter values;
    values.bytes(summary::kValue, value.message());
    ProtoWriter message;
    message.fixed64(event::kWallTime, wallSeconds)
        .varint(event::kStep, std::uint64_t(step))
        .bytes(event::kSummary, values.message());
    return message.message();
}

} // namespace

std::optional<EventMessage> parseEvent(std::string_view message)
{
    EventMessage parsed;
    ProtoReader fields(message);
    while (const auto field = fields.next()) {
        if (field->number == event::kWallTime)
            parsed.wallSeconds = field->asDouble();
        else if (field->number == event::kStep)
            parsed.step = std::int64_t(field->bits);
        else if (field->number == event::kSummary)
            readSummary(field->bytes, parsed.values);
        else if (field->number == event::kSessionLog)
            parsed.isRestart = isStart(field->bytes);
    }
    return fields.isDamaged() ? std::nullopt : std::optional(parsed);
}

std::vector<std::pair<std::string, std::string>> readHyperparameters(std::string_view message)
{
    std::vector<std::pair<std::string, std::string>> all;
    ProtoReader data(message);
    while (const auto start = data.next()) {
        if (start->number != hparams::kSessionStart)
            continue;
        ProtoReader entries(start->bytes);
        while (const auto entry = entries.next()) {
            if (entry->number == hparams::kEntry)
                addHyperparameter(entry->bytes, all);
        }
    }
    return all;
}

std::string encodeFileVersion(double wallSeconds)
{
    ProtoWriter message;
    message.fixed64(event::kWallTime, wallSeconds).bytes(event::kFileVersion, "brain.Event:2");
    return message.message();
}

std::string encodeScalar(double wallSeconds, std::int64_t step, std::string_view tag, double number)
{
    ProtoWriter value;
    value.bytes(summary::kTag, tag).fixed32(summary::kSimpleValue, float(number));
    return withValue(wallSeconds, step, value);
}

std::string encodeText(double wallSeconds, std::string_view tag, std::string_view text)
{
    ProtoWriter size;
    size.varint(tensor::kSize, 1);
    ProtoWriter shape;
    shape.bytes(tensor::kDimension, size.message());
    ProtoWriter content;
    content.varint(tensor::kType, String).bytes(tensor::kShape, shape.message()).bytes(tensor::kString, text);
    ProtoWriter plugin;
    plugin.bytes(summary::kPluginName, "text");
    ProtoWriter metadata;
    metadata.bytes(summary::kPluginData, plugin.message());
    ProtoWriter value;
    value.bytes(summary::kTag, std::string(tag) + "/text_summary")
        .bytes(summary::kTensor, content.message())
        .bytes(summary::kMetadata, metadata.message());
    return withValue(wallSeconds, 0, value);
}

} // namespace trainyard
