#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include <QEventLoop>
#include <QTimer>

namespace trainyard::bench {

/// Turns the event loop until the condition holds; it is looked at every millisecond.
inline void waitUntil(const std::function<bool()>& condition)
{
    QEventLoop loop;
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &loop, [&] {
        if (condition())
            loop.quit();
    });
    timer.start(std::chrono::milliseconds(1));
    if (!condition())
        loop.exec();
}

/// `share` of the values, 0..1, are at most this; 0 of none.
inline double percentile(std::vector<double> values, double share)
{
    std::ranges::sort(values);
    return values.empty() ? 0 : values[std::size_t(share * double(values.size() - 1))];
}

} // namespace trainyard::bench
