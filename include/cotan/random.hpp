#pragma once

/// Random generators and distributions. Needs Random123's headers.
#include <cotan/random/distributions.hpp>
#include <cotan/random/draw.hpp>
#include <cotan/random/multivariate.hpp>
#include <cotan/random/philox.hpp>
