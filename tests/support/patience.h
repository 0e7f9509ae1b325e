#pragma once

#include <QTest>

/// How long a test waits for what must come. On an idle machine that takes milliseconds; on one that is busy
/// with other work it may take long, and no test should fail for that. Only a test that fails waits so long.
constexpr int kPatienceMs = 90'000;

/// As QTRY_VERIFY and QTRY_COMPARE, which lose patience after 5 s.
#define AWAIT(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, kPatienceMs)
#define AWAIT_EQUAL(actual, expected) QTRY_COMPARE_WITH_TIMEOUT(actual, expected, kPatienceMs)

/// Ends the test function when a step failed without which it cannot continue: a failure inside a called
/// function does not end its caller.
#define MUST(step)                                                                                           \
    do {                                                                                                     \
        step;                                                                                                \
        if (QTest::currentTestFailed())                                                                      \
            return;                                                                                          \
    } while (false)
