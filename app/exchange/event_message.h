#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// A scalar, a text or hyperparameters that an event carries under a tag.
struct EventValue {
    std::string_view tag;                 ///< as it was written: foreign bytes
    std::optional<double> number;         ///< simple_value, or a tensor of one number
    std::optional<std::string_view> text; ///< of the text plug-in
    /// Of the plug-in for hyperparameters: its message, see readHyperparameters().
    std::optional<std::string_view> hyperparameters;
};

/// Names and values, as texts, of a session's start (tensorboard/plugins/hparams/plugin_data.proto); of
/// another message of the plug-in none. Lists and structures are left out.
std::vector<std::pair<std::string, std::string>> readHyperparameters(std::string_view message);

/// The parts of TensorBoard's Event message that describe curves of a run (tensorflow/core/util/event.proto,
/// tensorboard/compat/proto/{event,summary,tensor}.proto). Views point into the message.
struct EventMessage {
    double wallSeconds = 0;
    std::int64_t step = 0;
    bool isRestart = false; ///< SessionLog.START: what was written before from this step on is void
    std::vector<EventValue> values;
};

/// Nullopt if the bytes are not such a message. Skips values of other kinds (images, histograms, graphs).
std::optional<EventMessage> parseEvent(std::string_view message);

/// The first event of every file.
std::string encodeFileVersion(double wallSeconds);
std::string encodeScalar(double wallSeconds, std::int64_t step, std::string_view tag, double value);
/// As `SummaryWriter.add_text` writes it, which names it `tag`/text_summary.
std::string encodeText(double wallSeconds, std::string_view tag, std::string_view text);

} // namespace trainyard
