#include "remote/agent/serve/data_readers.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/serve/active_runs.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// The data set that holds `path`; empty: none. `data`: the canonical folder of all.
std::string dataSetAt(const fs::path& data, const fs::path& path)
{
    std::error_code error;
    const fs::path real = fs::weakly_canonical(path, error);
    const fs::path below = error ? fs::path() : real.lexically_relative(data);
    const std::string name = below.empty() ? std::string() : below.begin()->string();
    return name == "." || name == ".." ? std::string() : name;
}

/// Every text of a document that is an absolute path, or an option "--data=/d": a specification names data
/// sets in many places, a job in its arguments.
void addDataSets(const json& document, const fs::path& data, std::set<std::string>& names)
{
    if (document.is_string()) {
        const std::string& text = document.get_ref<const std::string&>();
        const auto start = text.starts_with('-') ? text.find("=/") + 1 : 0;
        if (start < text.size() && text[start] == '/')
            if (const std::string name = dataSetAt(data, text.substr(start)); !name.empty())
                names.insert(name);
        return;
    }
    if (document.is_structured()) {
        for (const json& inner : document)
            addDataSets(inner, data, names);
    }
}

std::set<std::string> dataSetsOf(const RunFolder& run, const fs::path& data)
{
    std::set<std::string> names;
    for (const fs::path& file : {run.spec(), run.job()}) {
        if (const auto text = readFile(file); text.ok())
            addDataSets(json::parse(*text, nullptr, false), data, names);
    }
    return names;
}

} // namespace

std::map<std::string, DataReaders> dataReaders(const fs::path& root)
{
    std::map<std::string, DataReaders> readers;
    std::error_code error;
    const fs::path data = fs::canonical(root / "data", error);
    if (error)
        return readers;
    const ActiveRuns activeRuns;
    for (fs::directory_iterator at(root / "runs", error), end; !error && at != end; at.increment(error)) {
        const RunFolder run(at->path());
        const std::set<std::string> names =
            isSafeName(run.run()) ? dataSetsOf(run, data) : std::set<std::string>();
        const bool active = !names.empty() && activeRuns.contains(run);
        for (const std::string& name : names) {
            DataReaders& of = readers[name];
            of.newest = std::max(of.newest, run.run());
            if (active)
                of.active = std::max(of.active, run.run());
        }
    }
    return readers;
}

} // namespace trainyard::agent
