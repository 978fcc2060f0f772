#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

#include <cotan/op/catalogue.hpp>

TEST_CASE("names in the catalogue differ") {
    []<class... Op>(bits::type_list<Op...>) {
        const std::string_view names[] = {bits::op_data<Op>.name...};
        for (std::size_t i = 0; i < std::size(names); ++i)
            for (std::size_t j = 0; j < i; ++j) CHECK(names[i] != names[j]);
        CHECK(sizeof...(Op) > 80);
    }(bits::catalogue{});
}
