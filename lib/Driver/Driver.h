// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole run.

#ifndef HLOBUF_DRIVER_DRIVER_H
#define HLOBUF_DRIVER_DRIVER_H

#include "Driver/Options.h"

namespace hlobuf {

/// Verifies (or prints back) all inputs. Findings and the last line go to
/// \p Out, problems to \p Err. The output does not depend on the
/// number of threads. \p Findings, if given, becomes the number of findings
/// that were neither suppressed nor in the baseline.
ExitStatus runVerify(const VerifyOptions &Options, raw_ostream &Out,
                     raw_ostream &Err, unsigned *Findings = nullptr);

/// Prints a table of all checks, by name.
void listChecks(raw_ostream &Out);

/// Prints the page of check \p Id, or of a known defect. False, with a hint on
/// \p Err, if there is none.
bool explainCheck(StringRef Id, raw_ostream &Out, raw_ostream &Err);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_DRIVER_H
