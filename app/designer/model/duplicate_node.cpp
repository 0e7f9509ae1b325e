#include "app/designer/model/duplicate_node.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr std::size_t kMaxDigits = 9;

constexpr int kMaxAddressByte = 255;

/// A host's name, split at its number.
struct NumberedName {
    std::string before;
    int number = 1;
    std::size_t digits = 1;
    std::string after;
    int most = std::numeric_limits<int>::max();

    std::string text() const { return fmt::format("{}{:0{}}{}", before, number, digits, after); }
};

bool isDigit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Returns the host of "user@host:port". With more than one colon it is an IPv6 address.
std::string_view withoutUserAndPort(std::string_view login)
{
    if (const std::size_t user = login.rfind('@'); user != std::string_view::npos)
        login.remove_prefix(user + 1);
    const std::size_t colon = login.find(':');
    return colon == login.rfind(':') ? login.substr(0, colon) : login;
}

NumberedName split(const std::string& login)
{
    const std::string_view host = withoutUserAndPort(login);
    const auto start = static_cast<std::size_t>(host.data() - login.data());
    const bool address = host.find_first_not_of("0123456789.") == std::string_view::npos;
    const std::size_t end = start + std::min(host.size(), address ? host.size() : host.find('.'));
    std::size_t begin = end;
    while (begin > start && end - begin < kMaxDigits && isDigit(login[begin - 1]))
        --begin;
    if (begin == end)
        return {login.substr(0, end) + "-", 1, 1, login.substr(end)};
    NumberedName name{login.substr(0, begin), std::stoi(login.substr(begin, end - begin)), end - begin,
                      login.substr(end)};
    if (address)
        name.most = kMaxAddressByte;
    return name;
}

} // namespace

void duplicateLastNode(RunSpec& spec, int count)
{
    std::vector<NodeSpec>& nodes = spec.cluster.nodes;
    NodeSpec node = nodes.back();
    NumberedName name = split(node.host);
    std::set<std::string> taken;
    for (const NodeSpec& other : nodes)
        taken.insert(other.host);
    for (int added = 0; added < count; ++added) {
        while (spec.launch.launcher != LauncherKind::Slurm && !taken.insert(node.host).second) {
            if (name.number >= name.most)
                return;
            ++name.number;
            node.host = name.text();
        }
        nodes.push_back(node);
    }
}

} // namespace trainyard
