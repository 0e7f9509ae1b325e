#include <set>

#include "engine/comm/process_group.h"
#include "engine/comm/threads_transport.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/memory/memory_scope.h"
#include "engine/model/model_parameters.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/parallel/zero/part_gatherer.h"

#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace {

using Direction = PartGatherer::Direction;

constexpr int kRanks = 3;
constexpr int kLayers = 3;

ModelSpec smallModel(bool tiedHead)
{
    ModelSpec model;
    model.layers = kLayers;
    model.hidden = 12;
    model.heads = 3;
    model.intermediate = 29;
    model.vocabulary = 97;
    model.maxPositions = 17;
    model.tiedHead = tiedHead;
    return model;
}

std::unique_ptr<ParameterStore> shardedStore(const ModelSpec& model, ComputeType type, int rank)
{
    const Sharding sharding{.owner = {rank, kRanks}, .bucketPerPart = true};
    auto store = std::make_unique<ParameterStore>(modelParameters(model), type, sharding,
                                                  GradientResidence::Sharded, WeightResidence::Sharded);
    store->initialize(5, 1.0);
    return store;
}

std::set<int> partsThere(ParameterStore& store)
{
    std::set<int> parts;
    for (std::size_t i = 0; i < store.layout().buckets().size(); ++i) {
        if (store.weights().isThere(i))
            parts.insert(store.layout().buckets()[i].part);
    }
    return parts;
}

/// Whether every weight of the part is what a rank alone would have.
bool isWhole(const ParameterStore& store, const ParameterStore& reference, int part)
{
    for (const Parameter& parameter : reference.parameters()) {
        const bool first = !parameter.spec.stackedOnPrevious;
        if (parameter.spec.part == part && first &&
            !store.leaf(parameter.spec.name).equal(reference.leaf(parameter.spec.name)))
            return false;
    }
    return true;
}

void require(bool condition, const char* what)
{
    if (!condition)
        throw std::runtime_error(what);
}

} // namespace

class TestPartGatherer : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_memory = &AccountingAllocator::install(); }

    void bringsEveryPartTogetherForItsUse_data()
    {
        QTest::addColumn<int>("compute");
        QTest::addColumn<bool>("tied");
        QTest::addRow("float64") << int(ComputeType::Float64) << false;
        QTest::addRow("bfloat16, tied head") << int(ComputeType::BFloat16) << true;
    }
    void bringsEveryPartTogetherForItsUse()
    {
        QFETCH(int, compute);
        QFETCH(bool, tied);
        const ModelSpec model = smallModel(tied);
        ParameterStore reference(modelParameters(model), ComputeType(compute));
        reference.initialize(5, 1.0);
        runAsThreads(kRanks, [&](ProcessGroup& group) {
            const auto store = shardedStore(model, ComputeType(compute), group.rank().value);
            PartGatherer gatherer(*store, HolderGroup(&group, nullptr), model);
            require(partsThere(*store).empty(), "weights are there before they are used");
            for (int part = kEmbeddingsPart; part <= kLayers; ++part) {
                gatherer.enter(part, Direction::Forward);
                require(isWhole(*store, reference, part), "a part is not whole in the forward pass");
            }
            for (int part = kLayers; part >= kEmbeddingsPart; --part) {
                gatherer.enter(part, Direction::Backward);
                require(isWhole(*store, reference, part), "a part is not whole in the backward pass");
            }
        });
    }

    void holdsNoMoreThanTheNextPartBesides()
    {
        const ModelSpec model = smallModel(true);
        runAsThreads(kRanks, [&](ProcessGroup& group) {
            const auto store = shardedStore(model, ComputeType::Float32, group.rank().value);
            PartGatherer gatherer(*store, HolderGroup(&group, nullptr), model);
            gatherer.enter(kEmbeddingsPart, Direction::Forward);
            require(partsThere(*store) == std::set{kEmbeddingsPart, 0}, "embeddings, forward");
            gatherer.enter(1, Direction::Forward);
            require(partsThere(*store) == std::set{1, 2}, "layer 1, forward");
            gatherer.enter(2, Direction::Forward);
            require(partsThere(*store) == std::set{2, kLayers, kEmbeddingsPart}, "layer 2, forward");
            gatherer.enter(kLayers, Direction::Forward);
            require(partsThere(*store) == std::set{kLayers, kEmbeddingsPart}, "head, forward");
            gatherer.enter(kLayers, Direction::Backward);
            require(partsThere(*store) == std::set{kLayers, kEmbeddingsPart, 2}, "head, backward");
            gatherer.enter(1, Direction::Backward);
            require(partsThere(*store) == std::set{1, 0}, "layer 1, backward");
            gatherer.releaseAll();
            require(partsThere(*store).empty(), "released");
        });
    }

    void seesWeightsThatHaveChanged()
    {
        const ModelSpec model = smallModel(false);
        runAsThreads(kRanks, [&](ProcessGroup& group) {
            const auto store = shardedStore(model, ComputeType::Float32, group.rank().value);
            PartGatherer gatherer(*store, HolderGroup(&group, nullptr), model);
            gatherer.enter(kEmbeddingsPart, Direction::Forward);
            store->flatMasters().fill_(3.0);
            gatherer.releaseAll();
            gatherer.enter(kEmbeddingsPart, Direction::Forward);
            const at::Tensor& words = store->leaf(store->parameters().front().spec.name);
            require(words.eq(3.0).all().item<bool>(), "an old weight was used");
        });
    }

    void keepsOnlyWhatIsOwnedBetweenUses()
    {
        const ModelSpec model = smallModel(true);
        const Bytes before = weightsNow();
        runAsThreads(kRanks, [&](ProcessGroup& group) {
            std::unique_ptr<ParameterStore> store;
            {
                const MemoryScope scope(MemoryCategory::Weights);
                store = shardedStore(model, ComputeType::BFloat16, group.rank().value);
            }
            PartGatherer gatherer(*store, HolderGroup(&group, nullptr), model);
            const Bytes owned = kRanks * 4 * Bytes(store->layout().ownedCount()); // float32 masters
            group.barrier();
            require(weightsNow() - before == owned, "more is kept than what the ranks own");
            group.barrier();
            gatherer.enter(kLayers, Direction::Forward);
            const Bytes ends =
                Bytes(store->layout().buckets().front().size() + store->layout().buckets().back().size());
            group.barrier();
            require(weightsNow() - before == owned + kRanks * 2 * ends, // bfloat16
                    "the working set has another size");
            group.barrier();
        });
        QCOMPARE(weightsNow(), before);
    }

private:
    Bytes weightsNow() const
    {
        return m_memory->ledger().current().bytes[std::size_t(MemoryCategory::Weights)];
    }

    AccountingAllocator* m_memory = nullptr;
};

QTEST_APPLESS_MAIN(TestPartGatherer)
#include "tst_part_gatherer.moc"
