#include "engine/training/run_contract.h"

#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/hash.h"
#include "engine/comm/agreement.h"
#include "engine/comm/process_group.h"
#include "engine/records/wire.h"
#include "engine/spec/spec_json.h"
#include "engine/training/data/training_data.h"

namespace trainyard {

namespace {

/// One value that must be equal on all ranks.
struct Clause {
    const char* subject;
    std::function<std::string(const RunContract&)> value;
    const char* hint;
};

std::string shortHash(const std::string& hash)
{
    return hash.substr(0, 12);
}

const std::vector<Clause>& clauses()
{
    static const std::vector<Clause> all{
        {"program versions", [](const RunContract& c) { return c.program; },
         "deploy the same bundle to every node"},
        {"specifications", [](const RunContract& c) { return shortHash(c.specification); },
         "copy the same spec.json to the run directory on every node"},
        {"data sets",
         [](const RunContract& c) {
             return fmt::format("{} with {} training rows", shortHash(c.dataset), c.trainingRows);
         },
         "copy the same data set folder to every node"},
        {"data sets of evaluation", [](const RunContract& c) { return shortHash(c.heldOut); },
         "copy the same folder of evaluation.dataset to every node"},
    };
    return all;
}

std::string encode(const RunContract& contract)
{
    std::string bytes;
    WireWriter out(bytes);
    out.text(contract.program);
    out.text(contract.specification);
    out.text(contract.dataset);
    out.number(contract.trainingRows);
    out.text(contract.heldOut);
    return bytes;
}

RunContract decode(const std::string& bytes)
{
    WireReader in(bytes);
    RunContract contract;
    contract.program = in.text();
    contract.specification = in.text();
    contract.dataset = in.text();
    contract.trainingRows = in.number<std::uint64_t>();
    contract.heldOut = in.text();
    return contract;
}

} // namespace

RunContract RunContract::of(const RunSpec& spec, const TrainingData& data)
{
    return {TRAINYARD_VERSION, sha256Hex(toJson(spec)), data.hash(), data.trainingRows(),
            data.heldOut ? data.heldOut->manifestHash() : std::string()};
}

Status firstDifference(const std::vector<RunContract>& contracts)
{
    for (const Clause& clause : clauses()) {
        const std::string expected = clause.value(contracts.front());
        std::vector<std::string> differing;
        for (std::size_t rank = 1; rank < contracts.size(); ++rank) {
            if (const std::string value = clause.value(contracts[rank]); value != expected)
                differing.push_back(fmt::format("rank {} has {}", rank, value));
        }
        if (!differing.empty())
            return badInput(fmt::format("the ranks' {} differ: rank 0 has {}, {}", clause.subject, expected,
                                        fmt::join(differing, ", ")),
                            clause.hint);
    }
    return {};
}

Status compareContracts(ProcessGroup& group, const RunContract& mine)
{
    std::vector<RunContract> contracts;
    for (const std::string& bytes : group.gather(encode(mine)))
        contracts.push_back(decode(bytes));
    return agree(group, group.isFirst() ? firstDifference(contracts) : Status());
}

} // namespace trainyard
