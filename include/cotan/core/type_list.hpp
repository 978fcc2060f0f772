#pragma once

namespace cotan::bits {

template <class... T>
struct type_list {
    static constexpr int size = sizeof...(T);
};

}  // namespace cotan::bits
