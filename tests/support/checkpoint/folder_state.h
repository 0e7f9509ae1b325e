#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace trainyard {

/// What happened to one checkpoint.
enum class Harm { None, CutShard, OneBit, NoShard, NoManifest, CutManifest, Unreadable };
inline constexpr std::array kHarms{Harm::None,       Harm::CutShard,    Harm::OneBit,    Harm::NoShard,
                                   Harm::NoManifest, Harm::CutManifest, Harm::Unreadable};

/// What `latest` holds. Behind: a power cut came between the newest checkpoint and `latest`. Older: a person
/// has written the name of the second checkpoint.
enum class Latest { Right, Missing, Empty, Dangling, Garbage, Behind, Older };
inline constexpr std::array kLatest{Latest::Right,   Latest::Missing, Latest::Empty, Latest::Dangling,
                                    Latest::Garbage, Latest::Behind,  Latest::Older};

/// A folder of three checkpoints, as it may be found when a run starts.
struct FolderState {
    std::array<std::int64_t, 3> steps{500, 1000, 1500};
    std::array<Harm, 3> harms{}; ///< oldest first
    Latest latest = Latest::Right;
    bool leftovers = false; ///< of a writer that was interrupted
    bool twoLines = false;  ///< the run has left another line, which has checkpoints of the same steps

    /// The rule of engine/checkpoint/FORMAT.md, worked out from the state alone. Nothing: the start is
    /// refused.
    std::optional<std::int64_t> startingStep() const;
    std::string text() const;
};

/// `step-...` of the present line.
std::filesystem::path checkpointOf(const std::filesystem::path& checkpoints, std::int64_t step);

/// Unreadable means something only to users other than root.
void doHarm(const std::filesystem::path& checkpoint, Harm harm);
void flipBit(const std::filesystem::path& file, std::uintmax_t at);

/// Writes what a state has in `latest`; Behind is for whoever makes the folder.
void writeLatest(const std::filesystem::path& checkpoints, const FolderState& state);

} // namespace trainyard
