#include "engine/parallel/data/gradient_reducer.h"

#include "engine/comm/process_group.h"
#include "engine/nn/parameter_store.h"

namespace trainyard {

namespace {

FloatSpan spanOf(const at::Tensor& flat, const Bucket& bucket)
{
    const FloatType type = flat.scalar_type() == at::kDouble ? FloatType::Float64 : FloatType::Float32;
    return FloatSpan(flat.data_ptr(), static_cast<std::size_t>(flat.numel()), type)
        .part(static_cast<std::size_t>(bucket.begin), static_cast<std::size_t>(bucket.end - bucket.begin));
}

} // namespace

GradientReducer::GradientReducer(ParameterStore& parameters, ProcessGroup& group, Bytes bucketSize)
    : m_parameters(parameters)
    , m_group(group)
    , m_buckets(planBuckets(parameters.parameters(), parameters.flatCount(), bucketSize,
                            parameters.flatGradients().element_size()))
    , m_bucketOf(parameters.parameters().size())
{
    for (std::size_t b = 0; b < m_buckets.size(); ++b) {
        for (const std::size_t parameter : m_buckets[b].parameters)
            m_bucketOf[parameter] = b;
    }
    m_parameters.setGradientListener([this](std::size_t parameter) { onGradient(parameter); });
}

GradientReducer::~GradientReducer()
{
    m_parameters.setGradientListener({});
}

void GradientReducer::arm()
{
    TRAINYARD_CHECK(m_works.empty());
    m_missing.clear();
    for (const Bucket& bucket : m_buckets)
        m_missing.push_back(bucket.parameters.size());
    m_armed = true;
}

void GradientReducer::onGradient(std::size_t parameter)
{
    if (!m_armed)
        return;
    std::size_t& missing = m_missing[m_bucketOf[parameter]];
    TRAINYARD_CHECK(missing > 0);
    if (--missing == 0)
        startReadyBuckets();
}

void GradientReducer::startReadyBuckets()
{
    while (m_works.size() < m_buckets.size() && m_missing[m_works.size()] == 0)
        start(m_buckets[m_works.size()]);
}

void GradientReducer::start(const Bucket& bucket)
{
    m_works.push_back(m_group.allReduceAsync(spanOf(m_parameters.flatGradients(), bucket)));
}

void GradientReducer::finish()
{
    TRAINYARD_CHECK(m_armed);
    m_armed = false;
    m_overlapped = m_works.size();
    while (m_works.size() < m_buckets.size())
        start(m_buckets[m_works.size()]);
    for (Work& work : m_works)
        work.wait();
    m_works.clear();
}

} // namespace trainyard
