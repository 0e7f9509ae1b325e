#pragma once

#include <compare>
#include <string>
#include <vector>

namespace trainyard {

/// The size of a pipeline. A stage is one chunk of the model; stage s lies on pipeline rank s % ranks and is
/// that rank's chunk s / ranks, so a micro-batch passes all ranks once per chunk, then goes back the same
/// way.
struct PipelineShape {
    int ranks = 1;
    int chunks = 1; ///< per rank ("virtual stages")
    int microBatches = 1;

    int stages() const { return ranks * chunks; }
    int stageOf(int rank, int chunk) const { return chunk * ranks + rank; }
    /// Whether the stage before (after) that chunk lies on another rank, so that tensors travel between them.
    bool hasPeerBefore(int rank, int chunk) const { return ranks > 1 && stageOf(rank, chunk) > 0; }
    bool hasPeerAfter(int rank, int chunk) const { return ranks > 1 && stageOf(rank, chunk) < stages() - 1; }

    bool operator==(const PipelineShape&) const = default;
};

enum class PipelineActionKind {
    Forward,
    Backward,          ///< gradients of the input and of the weights
    BackwardInput,     ///< gradient of the input alone: what the stage before waits for
    BackwardWeight,    ///< gradients of the weights, any time after BackwardInput
    SendActivation,    ///< output of Forward, to the stage after
    ReceiveActivation, ///< input of Forward, from the stage before
    SendGradient,      ///< gradient of the input, to the stage before
    ReceiveGradient,   ///< gradient of the output, from the stage after
    ReduceGradients,   ///< of one chunk over the data-parallel ranks, after its last micro-batch
    OptimizerStep,     ///< the last action; ranks agree in it (gradient norm, skip), and sum tied weights'
                       ///< gradients
};

/// One thing that a pipeline rank does.
struct PipelineAction {
    PipelineActionKind kind = PipelineActionKind::Forward;
    int microBatch = -1; ///< -1 in ReduceGradients and OptimizerStep
    int chunk = -1;      ///< of this rank; -1 in OptimizerStep

    auto operator<=>(const PipelineAction&) const = default;
};

using ActionList = std::vector<PipelineAction>;

/// What each pipeline rank does in one optimizer step, in order. A plain value: made by makeSchedule(),
/// timed by simulate(), drawn by the window, executed by the engine.
///
/// An executor may block in a send until it is received (rendezvous), return from it at once (eager), or post
/// receives ahead and wait where their tensors are used: the lists end under all three
/// (tests/support/schedule). Between two ranks, sends and receives come in the same order, so messages need
/// no tags.
struct PipelineSchedule {
    PipelineShape shape;
    std::vector<ActionList> ranks;

    bool operator==(const PipelineSchedule&) const = default;
};

bool isSend(PipelineActionKind kind);
bool isReceive(PipelineActionKind kind);

/// The pipeline rank at the other end of a send or receive of `rank`.
int peerOf(const PipelineShape& shape, int rank, const PipelineAction& transfer);
/// The action of peerOf() that takes what this send gives.
PipelineAction receiveFor(const PipelineShape& shape, int rank, const PipelineAction& send);

/// The action as a person reads it: F forward, B backward, I backward of the input, W backward of the
/// weights, each with its micro-batch; with several chunks, ".chunk" follows: F0.1. An arrow behind sends the
/// result on, an arrow in front receives what the action needs: F0> SendActivation, >F0 ReceiveActivation,
/// B0> SendGradient, >B0 ReceiveGradient. The rest is "reduce" and "step".
std::string toText(const PipelineAction& action, const PipelineShape& shape);

} // namespace trainyard
