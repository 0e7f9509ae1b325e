#include "app/cli/support/run_words.h"

namespace trainyard {

QString wordsFor(RunState state)
{
    switch (state) {
    case RunState::Finished:
        return "has finished";
    case RunState::Failed:
        return "failed";
    case RunState::Stopped:
        return "was stopped";
    default:
        return "is " + QString::fromUtf8(nameOf(state).data());
    }
}

} // namespace trainyard
