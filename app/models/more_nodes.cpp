#include "app/models/more_nodes.h"

#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr std::size_t kMostDigits = 9;

/// A host's name around the number that tells it from its neighbours.
struct NumberedName {
    std::string before;
    int number = 1;
    std::size_t digits = 1;
    std::string after;

    std::string at(int value) const { return fmt::format("{}{:0{}}{}", before, value, digits, after); }
};

bool isDigit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

NumberedName split(const std::string& host)
{
    const bool address = host.find_first_not_of("0123456789.") == std::string::npos;
    const std::size_t label = host.find('.', host.find('@') == std::string::npos ? 0 : host.find('@'));
    const std::size_t end = address || label == std::string::npos ? host.size() : label;
    std::size_t begin = end;
    while (begin > 0 && end - begin < kMostDigits && isDigit(host[begin - 1]))
        --begin;
    if (begin == end)
        return {host.substr(0, end) + "-", 1, 1, host.substr(end)};
    return {host.substr(0, begin), std::stoi(host.substr(begin, end - begin)), end - begin, host.substr(end)};
}

} // namespace

void addNodesLikeLast(RunSpec& spec, int count)
{
    std::vector<NodeSpec>& nodes = spec.cluster.nodes;
    NodeSpec node = nodes.back();
    NumberedName name = split(node.host);
    std::set<std::string> taken;
    for (const NodeSpec& other : nodes)
        taken.insert(other.host);
    for (int added = 0; added < count; ++added) {
        while (spec.launch.launcher != LauncherKind::Slurm && !taken.insert(node.host).second)
            node.host = name.at(++name.number);
        nodes.push_back(node);
    }
}

} // namespace trainyard
