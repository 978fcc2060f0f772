#pragma once

#include <cotan/cotan.hpp>

/// A plan as it is worked out, to be looked at: what the code is made from, and what a call needs.
template <int Room>
struct whole_plan : cotan::bits::compiled_data<Room>, cotan::bits::compiled_code<Room> {};

template <bool Deferred = false, int Room = 512, class... In, class... Out>
consteval auto plan_of(cotan::input_list<In...>, cotan::pack<Out...>) {
    using namespace cotan;
    const auto all = bits::compile<Room, 1, Deferred>(bits::type_list<node_of<In>...>{}, typename bits::flat<pack<Out...>>::type{});
    return whole_plan<Room>{all.plan[0], all.code[0]};
}
