// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/DumpResults.h"

using namespace hlobuf;
using llvm::StringRef;

/// Of the program that runs, which only executables hold. What is shown of it
/// is settled with the other sentences.
static SentenceResult aboutProgram(const Input &In, const Dump &D) {
  SentenceResult Said;
  if (D.file(FileRole::Thunks).present())
    return Said;
  Said.Hidden = true;
  if (!In.Proto)
    Said.Because = {"a text dump does not hold it"};
  else if (StringRef File = In.Proto->File;
           File.contains(".hlo.pb") || File.contains(".xplane.pb"))
    Said.Because = {"this proto does not hold it"};
  else
    Said.Hidden = false, Said.Because = {"this executable holds no thunks"};
  return Said;
}

DumpResult hlobuf::makeResult(const Input &In, const LoadedDump &L, Verdict V) {
  DumpResult R;
  R.Path = In.Path;
  for (size_t Role = 0; Role != NumFileRoles; ++Role)
    R.Files[Role] = L.Model->Files[Role].Path;
  R.Module = L.Model->Module.Name.empty() ? moduleNameOf(In.Path).str()
                                          : L.Model->Module.Name.str();
  for (Diagnostic &D : V.Findings)
    R.Findings.push_back(resolveFinding(L.Texts, D));
  R.Uncounted = std::move(V.Uncounted);
  R.Skipped = std::move(V.Skipped);
  R.Exempted = std::move(V.Exempted);
  R.Checks = std::move(V.Checks);
  R[Sentence::Program] = aboutProgram(In, *L.Model);
  R.UnusedFiles = L.Unused;
  R.Memory = std::move(V.Memory);
  R.Verified = V.Verified;
  setFingerprints(R);
  return R;
}
