// boost_stacks.hpp - the peer "Boost.Coroutine2": coroutines with stacks of their own, on a ready queue.
#pragma once

#include <boost/coroutine2/all.hpp>

#include <deque>
#include <utility>

class boost_scheduler
{
    using coroutine = boost::coroutines2::coroutine<void>;

public:
    using suspend = coroutine::pull_type; // called by a body: it is the others' turn

    template <class Body> void spawn(Body body)
    {
        ready_.emplace_back(stacks_, std::move(body));
    }

    void run()
    {
        while (!ready_.empty()) {
            turn();
        }
    }

    // One resumption of the oldest.
    void turn()
    {
        coroutine::push_type oldest = std::move(ready_.front());

        ready_.pop_front();
        oldest();
        if (oldest) {
            ready_.push_back(std::move(oldest));
        }
    }

private:
    // As small as such code dares; used again, as Boost recommends it.
    boost::coroutines2::pooled_fixedsize_stack stacks_{8192};
    std::deque<coroutine::push_type> ready_;
};
