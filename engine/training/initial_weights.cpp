#include "engine/training/initial_weights.h"

#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "engine/checkpoint/weights/weight_comparison.h"
#include "engine/checkpoint/weights/weight_source.h"
#include "engine/comm/agreement.h"
#include "engine/comm/process_groups.h"
#include "engine/spec/layout_change.h"
#include "engine/training/replica.h"
#include "engine/training/run_directory.h"
#include "engine/training/shared_folder.h"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRestoreHint = "restore it, or launch the specification as a new run";

/// What the run began with, in its folder: the checkpoint that was the newest one then.
struct ChosenWeights {
    fs::path folder;
    std::string fingerprint;

    /// nullopt: the run has not begun yet.
    static std::optional<ChosenWeights> load(const fs::path& file)
    {
        const auto text = readFile(file);
        const auto json = nlohmann::json::parse(text.ok() ? *text : std::string(), nullptr, false);
        if (!json.is_object())
            return std::nullopt;
        const auto chosen = json.value("folder", nlohmann::json());
        const auto fingerprint = json.value("xxh3", nlohmann::json());
        if (!chosen.is_string() || !fingerprint.is_string())
            return std::nullopt;
        return ChosenWeights{chosen.get<std::string>(), fingerprint.get<std::string>()};
    }
    Status save(const fs::path& file) const
    {
        const nlohmann::ordered_json json{{"folder", folder.string()}, {"xxh3", fingerprint}};
        return writeFileAtomically(file, json.dump(1) + "\n");
    }
};

/// Steps from section init to loaded weights. All ranks call everything in the same order.
class InitialLoad {
public:
    InitialLoad(const ProcessGroups& groups, Replica& replica, const RunSpec& spec,
                const RunDirectory& directory)
        : m_world(*groups.world), m_replica(replica), m_spec(spec), m_directory(directory)
    {
    }

    Result<InitialWeights> run()
    {
        TRAINYARD_TRY_STATUS(onFirst([this] { return choose(); }));
        m_chosen.folder = m_world.broadcastText(m_chosen.folder.string());
        const Status opened = open(); // other ranks may get everything from rank 0
        TRAINYARD_TRY_STATUS(onFirst([&opened] { return opened; }));
        m_chosen.fingerprint = m_source ? m_source->fingerprint() : std::string();
        TRAINYARD_TRY_STATUS(onFirst([this] { return examine(); }));
        TRAINYARD_TRY(const bool allRead, whetherAllRead());
        const bool reads = allRead || m_world.isFirst();
        TRAINYARD_TRY_STATUS(agree(m_world, reads ? read() : Status()));
        if (allRead)
            m_replica.shareWeights();
        else
            m_replica.takeFromFirst(m_world);
        TRAINYARD_TRY_STATUS(onFirst([this] { return m_chosen.save(m_directory.initialWeights()); }));
        return outcome();
    }

private:
    template <typename Work>
    Status onFirst(const Work& work)
    {
        return agree(m_world, m_world.isFirst() ? work() : Status());
    }

    /// A restart takes what the run began with.
    Status choose()
    {
        m_before = ChosenWeights::load(m_directory.initialWeights());
        if (!m_before) {
            TRAINYARD_TRY(m_chosen.folder, findFirst());
            return {};
        }
        m_chosen.folder = m_before->folder;
        std::error_code ignored;
        if (fs::exists(m_chosen.folder, ignored))
            return {};
        return refused(
            fmt::format("init.path: the run began with {}, which is missing now", m_chosen.folder.string()),
            kRestoreHint);
    }

    Result<fs::path> findFirst() const
    {
        const fs::path sent = m_directory.root() / kSentWeightsFolder;
        std::error_code ignored;
        if (fs::exists(sent, ignored))
            return sent;
        return findInitialWeights(m_spec.init, m_directory.root().parent_path());
    }

    Status open()
    {
        auto opened = openWeights(m_chosen.folder);
        if (!opened.ok())
            return opened.error().in("init.path");
        m_source = std::move(*opened);
        m_comparison = compareWeights(m_source->description(), m_spec);
        return m_comparison.problems.empty() ? Status() : Status(toError(m_comparison.problems));
    }

    Status examine() const
    {
        if (m_before && m_before->fingerprint != m_chosen.fingerprint)
            return refused(
                fmt::format("init.path: {} has changed since the run began with it", m_comparison.origin),
                kRestoreHint);
        return m_source->checkContent();
    }

    Result<bool> whetherAllRead()
    {
        const std::string expected =
            m_world.broadcastText(m_world.isFirst() ? m_chosen.fingerprint : std::string());
        const FolderSharing same = sharingAmong(m_world, m_source && m_chosen.fingerprint == expected);
        const bool all = same.count == m_world.size().value;
        if (all || everyRankHoldsAll(m_spec))
            return all;
        return badInput(
            fmt::format("init.path: only {} of {} ranks find the same weights as rank 0 in {}, but in "
                        "this layout each rank holds a part of the model that no other rank has",
                        same.count, m_world.size().value, m_chosen.folder.string()),
            "put them on a file system that all nodes share, or copy the folder to every node");
    }

    Status read()
    {
        for (const auto& chunk : m_replica.chunks()) {
            if (const Status begun = chunk->state().begin(*m_source, m_comparison); !begun.ok())
                return begun.error().in("init.path");
        }
        return {};
    }

    InitialWeights outcome()
    {
        const bool continues = m_world.isFirst() && m_comparison.loadsOptimizer;
        const std::int64_t updates = continues ? m_source->description().updates : 0;
        return {m_world.broadcastValue(updates), m_world.isFirst() ? m_comparison.text() : std::string()};
    }

    ProcessGroup& m_world;
    Replica& m_replica;
    const RunSpec& m_spec;
    const RunDirectory& m_directory;
    ChosenWeights m_chosen;
    std::optional<ChosenWeights> m_before;  // of an earlier attempt; on rank 0
    std::unique_ptr<WeightSource> m_source; // null on a rank that cannot read it
    WeightComparison m_comparison;
};

} // namespace

Result<InitialWeights> loadInitialWeights(const ProcessGroups& groups, Replica& replica, const RunSpec& spec,
                                          const RunDirectory& directory)
{
    if (!spec.init.isOn())
        return InitialWeights();
    return InitialLoad(groups, replica, spec, directory).run();
}

} // namespace trainyard
