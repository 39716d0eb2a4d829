// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/DumpResults.h"
#include "llvm/Support/Path.h"

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

DumpResult hlobuf::retarget(const DumpResult &Original, const Input &From,
                            const Input &To) {
  DumpResult R = Original;
  auto Renamed = [&](std::string &Path) {
    for (size_t Role = 0; Role != NumFileRoles; ++Role) {
      StringRef Old = From.Files[Role].Path;
      StringRef Rest = Path;
      // A text inside of a file is `FILE!TEXT`.
      if (!Old.empty() && Rest.consume_front(Old) &&
          (Rest.empty() || Rest.starts_with("!"))) {
        Path = To.Files[Role].Path + Rest.str();
        return;
      }
    }
  };
  R.Path = To.Path;
  llvm::for_each(R.Files, Renamed);
  for (ResultFinding &F : R.Findings) {
    Renamed(F.Where.File);
    for (ResultNote &N : F.Notes)
      Renamed(N.Where.File);
  }
  for (ResultNote &Complaint : R.Complaints)
    Renamed(Complaint.Where.File);
  for (std::string &Unused : R.UnusedFiles)
    for (size_t Role = 0; Role != NumFileRoles; ++Role) {
      StringRef Old = llvm::sys::path::filename(From.Files[Role].Path);
      if (Old.empty() || !StringRef(Unused).starts_with((Old + " (").str()))
        continue;
      StringRef New = llvm::sys::path::filename(To.Files[Role].Path);
      Unused.replace(0, Old.size(), New.str());
      break;
    }
  if (Original.Module == moduleNameOf(From.Path)) {
    R.Module = moduleNameOf(To.Path).str();
    setFingerprints(R);
  }
  return R;
}
