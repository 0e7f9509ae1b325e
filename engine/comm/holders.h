#pragma once

#include <cstddef>
#include <span>

#include "engine/base/share.h"
#include "engine/comm/float_span.h"
#include "engine/comm/work.h"

namespace trainyard {

class ProcessGroup;

/// The ranks that hold the same parameters, and how they share the duty of updating them. Without ZeRO each
/// rank owns all of them. With ZeRO each owns a part of every bucket. With hybrid sharding (Zhang et al.,
/// arXiv:2205.00119) several groups of owners keep equal copies. The groups outlive this object.
class HolderGroup {
public:
    /// `owners` own different parts, `copies` the same part. One of them may be null: nobody shares so.
    HolderGroup(ProcessGroup* owners, ProcessGroup* copies);

    Share ownerShare() const { return shareIn(m_owners); } ///< of this rank among those of one copy
    Share copyShare() const { return shareIn(m_copies); }  ///< and among those that own the same

    /// Adds up the ranks' buckets, in place: with ZeRO over the ranks of one copy and only this rank's part,
    /// one of as many equal ones as there are owners. The rest is then unspecified.
    Work reduceAsync(FloatSpan bucket) const;
    /// Whether reduceAsync() leaves sums that differ between the copies.
    bool sumsOverCopies() const { return m_owners && m_copies; }
    /// Adds these up, of what this rank owns.
    Work sumOverCopiesAsync(FloatSpan owned) const;
    /// Every owner's part of a bucket to all of them.
    Work gatherAsync(std::span<std::byte> bucket) const;

private:
    static Share shareIn(const ProcessGroup* group);

    ProcessGroup* m_owners;
    ProcessGroup* m_copies;
};

/// The holders of all parameters of a rank. Fewer ranks hold experts that ranks share.
class Holders {
public:
    /// All of them have the same experts.
    Holders(HolderGroup all) : Holders(all, all) {}
    Holders(HolderGroup others, HolderGroup ofExperts) : m_others(others), m_ofExperts(ofExperts) {}
    const HolderGroup& of(bool experts) const { return experts ? m_ofExperts : m_others; }

private:
    HolderGroup m_others;
    HolderGroup m_ofExperts;
};

} // namespace trainyard
