#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/planner/layout/shape.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A run that one small host carries, on up to four ranks.
struct EngineLayout {
    std::string name;
    RunSpec spec;
};

/// The rows that the layouts train on: all of them full.
constexpr SequenceShape kEncoderRows{128, 20};
constexpr SequenceShape kDecoderRows{128, 0};
constexpr int kLayoutVocabulary = 8192;
SequenceShape rowsOf(const EngineLayout& layout);

/// Layouts that have, between them, every way in which our engine shares, keeps or computes again: to
/// hold a plan against what it does. Models of 5 million parameters, most of whose memory is in tensors.
/// `encoderData`, `decoderData`: folders of such rows.
std::vector<EngineLayout> engineLayouts(const std::filesystem::path& encoderData,
                                        const std::filesystem::path& decoderData);

} // namespace trainyard
