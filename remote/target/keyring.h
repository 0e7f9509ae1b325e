#pragma once

#include <functional>
#include <optional>

#include <QString>

#include "remote/ssh/secret.h"

namespace trainyard {

/// Where a person may keep secrets from one session of the desk to the next. GUI thread; no call waits, the
/// answers come later on the event loop.
class Keyring {
public:
    virtual ~Keyring() = default;

    /// There is one, so keeping may be offered.
    virtual bool isPresent() const = 0;
    /// Something is kept under that name, as far as this desk knows; asking for it may have the system ask
    /// the person to unlock the keyring.
    virtual bool holds(const QString& name) const = 0;
    /// Nothing = it is not there, the keyring stays locked, or it does not answer.
    virtual void read(const QString& name, std::function<void(std::optional<ssh::Secret>)> done) = 0;
    virtual void write(const QString& name, const ssh::Secret& secret) = 0;
    virtual void remove(const QString& name) = 0;
};

} // namespace trainyard
