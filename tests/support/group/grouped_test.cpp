#include "tests/support/group/grouped_test.h"

#include <algorithm>
#include <cstdio>

namespace trainyard {

namespace {

std::vector<const GroupedTest*>& registered()
{
    static std::vector<const GroupedTest*> tests;
    return tests;
}

std::string_view stemOf(std::string_view path)
{
    path.remove_prefix(path.find_last_of('/') + 1);
    return path.substr(0, path.find('.'));
}

int explain(const char* program)
{
    std::fprintf(stderr, "Usage: %s TEST [Qt Test's arguments]\nTests:", program);
    for (const GroupedTest* test : GroupedTest::all())
        std::fprintf(stderr, " %.*s", int(test->name().size()), test->name().data());
    std::fprintf(stderr, "\n");
    return 2;
}

} // namespace

GroupedTest::GroupedTest(std::string_view sourceFile, Run run) : m_name(stemOf(sourceFile)), m_run(run)
{
    registered().push_back(this);
}

const std::vector<const GroupedTest*>& GroupedTest::all()
{
    return registered();
}

} // namespace trainyard

/// `tests_spec tst_spec [Qt Test's arguments]` runs that test, as a program of its own would.
int main(int argc, char** argv)
{
    using namespace trainyard;
    const auto& tests = GroupedTest::all();
    const auto test = std::ranges::find(tests, std::string_view(argc > 1 ? argv[1] : ""), &GroupedTest::name);
    return test == tests.end() ? explain(argv[0]) : (*test)->run(argc - 1, argv + 1);
}
