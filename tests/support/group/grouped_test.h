#pragma once

#include <QtTest/QtTest>

#include <string_view>
#include <vector>

namespace trainyard {

/// A test class among others in one executable, which is compiled and linked at once for all of them. It
/// comes before each source of such an executable, where its macros take the place of Qt Test's.
class GroupedTest {
public:
    using Run = int (*)(int argc, char** argv);

    GroupedTest(std::string_view sourceFile, Run run);

    /// "tst_spec" of "tests/auto/spec/tst_spec.cpp"
    std::string_view name() const { return m_name; }
    int run(int argc, char** argv) const { return m_run(argc, argv); }

    static const std::vector<const GroupedTest*>& all();

private:
    std::string_view m_name;
    Run m_run;
};

} // namespace trainyard

#define TRAINYARD_GROUPED_TEST(TestClass, APPLICATION)                                                       \
    static const trainyard::GroupedTest grouped##TestClass(__FILE__, [](int argc, char** argv) {             \
        APPLICATION;                                                                                         \
        TestClass test;                                                                                      \
        QTEST_SET_MAIN_SOURCE_PATH                                                                           \
        return QTest::qExec(&test, argc, argv);                                                              \
    });

#undef QTEST_APPLESS_MAIN
#undef QTEST_GUILESS_MAIN
#undef QTEST_MAIN
#define QTEST_APPLESS_MAIN(TestClass) TRAINYARD_GROUPED_TEST(TestClass, )
#define QTEST_GUILESS_MAIN(TestClass)                                                                        \
    TRAINYARD_GROUPED_TEST(TestClass, QCoreApplication application(argc, argv))
#define QTEST_MAIN(TestClass) TRAINYARD_GROUPED_TEST(TestClass, QApplication application(argc, argv))
