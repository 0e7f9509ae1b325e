#include "engine/planner/explain/setting_moves.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "engine/spec/limits.h"

namespace trainyard {

namespace {

constexpr int kUnlimited = std::numeric_limits<int>::max();

/// 0, which dividesEvenly() finds, where it does not divide.
int quotient(long dividend, long divisor)
{
    const bool whole = divisor > 0 && dividend % divisor == 0 && dividend / divisor <= kUnlimited;
    return whole ? static_cast<int>(dividend / divisor) : 0;
}

void keepGlobalBatch(RunSpec& spec)
{
    spec.batch.accumulation = quotient(spec.batch.global, long{spec.batch.micro} * spec.layout.data);
}

void setData(RunSpec& spec, int data)
{
    spec.layout = spec.layout.withData(data);
    keepGlobalBatch(spec);
}

/// Another degree on as many ranks: data-parallel ranks make up for it.
template <int ParallelLayout::*degree>
void setDegreeKeepingRanks(RunSpec& spec, int value)
{
    const long ranks = long{spec.layout.data} * spec.layout.*degree;
    spec.layout.*degree = value;
    setData(spec, quotient(ranks, value));
}

/// A field that nothing follows from.
template <auto section, auto field>
NumberMove plain(int least, int most)
{
    return {least, most, [](const RunSpec& spec) { return (spec.*section).*field; },
            [](RunSpec& spec, int value) { (spec.*section).*field = value; }};
}

template <int ModelSpec::*field>
NumberMove ofModel(int most)
{
    return plain<&RunSpec::model, field>(1, most);
}

template <int ParallelLayout::*field>
NumberMove ofLayout(int most = kMaxRanks)
{
    return plain<&RunSpec::layout, field>(1, most);
}

template <int ParallelLayout::*degree>
NumberMove onAsManyRanks()
{
    return {1, kMaxRanks, [](const RunSpec& spec) { return spec.layout.*degree; },
            setDegreeKeepingRanks<degree>};
}

const NumberMove kHeads = ofModel<&ModelSpec::heads>(kMaxWidth);
const NumberMove kHidden = ofModel<&ModelSpec::hidden>(kMaxWidth);
const NumberMove kIntermediate = ofModel<&ModelSpec::intermediate>(kMaxWidth);
const NumberMove kLayers = ofModel<&ModelSpec::layers>(kMaxLayers);
const NumberMove kVocabulary = ofModel<&ModelSpec::vocabulary>(kMaxEntries);
const NumberMove kMaxPositions = ofModel<&ModelSpec::maxPositions>(kMaxEntries);
const NumberMove kTensor = ofLayout<&ParallelLayout::tensor>();
const NumberMove kPipeline = ofLayout<&ParallelLayout::pipeline>();
const NumberMove kContext = ofLayout<&ParallelLayout::context>();
const NumberMove kExpert = ofLayout<&ParallelLayout::expert>();
const NumberMove kShard = ofLayout<&ParallelLayout::shard>();
const NumberMove kVirtualStages = ofLayout<&ParallelLayout::virtualStages>(kMaxLayers);
const NumberMove kTensorOnRanks = onAsManyRanks<&ParallelLayout::tensor>();
const NumberMove kPipelineOnRanks = onAsManyRanks<&ParallelLayout::pipeline>();
const NumberMove kZeroStage = plain<&RunSpec::memory, &MemorySpec::zeroStage>(0, 3);
const NumberMove kWarmup = plain<&RunSpec::optimizer, &OptimizerSpec::warmupSteps>(0, kMaxEntries);
const NumberMove kDecaySteps = plain<&RunSpec::optimizer, &OptimizerSpec::decaySteps>(0, kMaxEntries);
const NumberMove kSteps = plain<&RunSpec::launch, &LaunchSpec::steps>(1, kMaxEntries);

const NumberMove kData{1, kMaxRanks, [](const RunSpec& spec) { return spec.layout.data; }, setData};

const NumberMove kMicro{1, kMaxSequences, [](const RunSpec& spec) { return spec.batch.micro; },
                        [](RunSpec& spec, int value) {
                            spec.batch.micro = value;
                            keepGlobalBatch(spec);
                        }};

const NumberMove kAccumulation{1, kMaxSequences, [](const RunSpec& spec) { return spec.batch.accumulation; },
                               [](RunSpec& spec, int value) {
                                   spec.batch.accumulation = value;
                                   spec.batch.micro =
                                       quotient(spec.batch.global, long{value} * spec.layout.data);
                               }};

const NumberMove kGlobal{1, kMaxEntries, [](const RunSpec& spec) { return spec.batch.global; },
                         [](RunSpec& spec, int value) {
                             spec.batch.global = value;
                             keepGlobalBatch(spec);
                         }};

void makeGlobalTheProduct(RunSpec& spec)
{
    const double product = double(spec.batch.micro) * spec.batch.accumulation * spec.layout.data;
    spec.batch.global = product <= kUnlimited ? static_cast<int>(product) : 0;
}

const NumberMove kMoreMicroBatches{1, kMaxSequences,
                                   [](const RunSpec& spec) { return spec.batch.accumulation; },
                                   [](RunSpec& spec, int value) {
                                       spec.batch.accumulation = value;
                                       makeGlobalTheProduct(spec);
                                   }};

template <PipelineScheduleKind kind, int virtualStages>
void schedule(RunSpec& spec)
{
    spec.layout.schedule = kind;
    spec.layout.virtualStages = virtualStages;
}

constexpr SwitchMove kGPipe = schedule<PipelineScheduleKind::GPipe, 1>;
constexpr SwitchMove kOneForwardOneBackward = schedule<PipelineScheduleKind::OneForwardOneBackward, 1>;
constexpr SwitchMove kInterleaved = schedule<PipelineScheduleKind::Interleaved, 2>;

void dealLayersEvenly(RunSpec& spec)
{
    spec.layout.partition = {};
}

void computeInFloat32(RunSpec& spec)
{
    spec.precision.compute = ComputeType::Float32;
}

void computeInBFloat16(RunSpec& spec)
{
    spec.precision.compute = ComputeType::BFloat16;
}

void withoutPacking(RunSpec& spec)
{
    spec.batch.packing = false;
}

void withoutSequence(RunSpec& spec)
{
    spec.layout.sequence = false;
}

void withoutAttentionDropout(RunSpec& spec)
{
    spec.model.attentionDropout = 0;
}

void withoutParameterOffload(RunSpec& spec)
{
    spec.memory.offloadParameters = false;
}

template <RecomputeKind kind>
void recompute(RunSpec& spec)
{
    spec.memory.recompute = kind;
    spec.memory.recomputeEvery = 1;
}

void offloadActivations(RunSpec& spec)
{
    spec.memory.offloadActivations = true;
}

void offloadOptimizer(RunSpec& spec)
{
    spec.memory.offloadOptimizer = true;
}

void offloadParameters(RunSpec& spec)
{
    spec.memory.zeroStage = 3;
    spec.memory.offloadParameters = true;
}

void shardAmongAll(RunSpec& spec)
{
    spec.layout.shard = 0;
}

void keepAllOnDevices(RunSpec& spec)
{
    spec.memory.offloadActivations = spec.memory.offloadOptimizer = spec.memory.offloadParameters = false;
}

/// Everything that saves memory and leaves the ranks where they are.
void saveMemory(RunSpec& spec)
{
    recompute<RecomputeKind::Full>(spec);
    if (spec.layout.holders() > 1)
        spec.memory.zeroStage = 3;
    spec.batch.micro = 1;
    keepGlobalBatch(spec);
    offloadActivations(spec);
    offloadOptimizer(spec);
}

void warmUpAllTheRun(RunSpec& spec)
{
    spec.optimizer.warmupSteps = spec.launch.steps;
}

void runAsLongAsWarmUp(RunSpec& spec)
{
    spec.launch.steps = spec.optimizer.warmupSteps;
}

NumberMove turned(NumberMove move, Turn turn)
{
    move.turn = turn;
    return move;
}

/// In the order of what they cost: little computing, communication, efficiency of products, a third more
/// computing, host links, then a layout with more communication or more ranks.
SettingMoves memoryMoves()
{
    return {{recompute<RecomputeKind::Selective>, turned(kZeroStage, Turn::Up), shardAmongAll,
             turned(kExpert, Turn::Up), turned(kMicro, Turn::Down), recompute<RecomputeKind::Full>,
             offloadOptimizer, offloadActivations, offloadParameters,
             keepAllOnDevices, // where what is too small is the host's memory
             turned(kTensorOnRanks, Turn::Up), turned(kPipelineOnRanks, Turn::Up), turned(kTensor, Turn::Up),
             turned(kPipeline, Turn::Up)},
            {saveMemory}};
}

using MovesByPath = std::map<std::string, SettingMoves, std::less<>>;

MovesByPath makeMoves()
{
    return {
        {"model.layers", {{kLayers}}},
        {"model.hidden", {{kHidden}}},
        {"model.heads", {{kHeads, kHidden}}},
        {"model.intermediate", {{kIntermediate}}},
        {"model.vocabulary", {{turned(kVocabulary, Turn::Up)}}}, // a smaller one would lose words
        {"model.max_positions", {{kMaxPositions}}},
        {"model.attention_dropout", {{kHeads, withoutAttentionDropout}}},
        {"layout", {{kData, kTensor, kPipeline, kContext}}},
        {"layout.data", {{kData}}},
        {"layout.context", {{kContext}}},
        {"layout.expert", {{kExpert}}},
        {"layout.shard", {{kShard, shardAmongAll}}},
        {"layout.tensor", {{kTensor, kTensorOnRanks, kHeads}}},
        {"layout.sequence", {{kMicro, kTensorOnRanks, withoutSequence}}},
        {"layout.pipeline", {{kPipeline, kPipelineOnRanks, kVirtualStages, kLayers, kOneForwardOneBackward}}},
        {"layout.virtual_stages", {{kVirtualStages, kOneForwardOneBackward, kInterleaved}}},
        {"layout.partition", {{kLayers, dealLayersEvenly}}},
        {"batch.global", {{keepGlobalBatch, kGlobal, kAccumulation, kMicro, kData, makeGlobalTheProduct}}},
        {"batch.micro", {{kMicro}}},
        {"batch.accumulation", {{kAccumulation, kMoreMicroBatches, kPipeline, kPipelineOnRanks, kGPipe}}},
        {"batch.packing", {{withoutPacking}}},
        {"memory.zero_stage", {{kZeroStage}}},
        {"memory.offload_parameters", {{kZeroStage, withoutParameterOffload}}},
        {"memory", memoryMoves()},
        {"precision.compute", {{computeInFloat32, computeInBFloat16}}},
        {"launch.steps", {{turned(kSteps, Turn::Up)}}},
        {"optimizer.warmup_steps", {{kWarmup, kSteps, warmUpAllTheRun, runAsLongAsWarmUp}}},
        {"optimizer.decay_steps", {{turned(kDecaySteps, Turn::Down), turned(kSteps, Turn::Up)}}},
    };
}

/// Of everything that quotient() gives.
std::array<int, 4> quotientsOf(const RunSpec& spec)
{
    return {spec.batch.global, spec.batch.micro, spec.batch.accumulation, spec.layout.data};
}

} // namespace

bool dividesEvenly(const RunSpec& spec, const RunSpec& moved)
{
    const auto before = quotientsOf(spec);
    const auto after = quotientsOf(moved);
    return std::ranges::equal(before, after, [](int was, int is) { return is != 0 || was == 0; });
}

const SettingMoves& movesFor(std::string_view path)
{
    static const MovesByPath moves = makeMoves();
    static const SettingMoves none;
    const auto found = moves.find(path);
    return found == moves.end() ? none : found->second;
}

} // namespace trainyard
