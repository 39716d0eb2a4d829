// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments without their end.

#ifndef HLOBUF_DRIVER_LOSTVALUES_H
#define HLOBUF_DRIVER_LOSTVALUES_H

#include "Checks/Context.h"

namespace hlobuf {

/// What shows that the assignment of \p A's dump was cut off after a line;
/// empty if nothing. Used values tell which values it has to have
/// (Facts/MissingEnds.h); without them the module does, if all that is there
/// agrees with it.
std::string lostByModule(const CheckContext &A);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_LOSTVALUES_H
