// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments to dumps.

#ifndef HLOBUF_INPUT_INPUTS_H
#define HLOBUF_INPUT_INPUTS_H

#include "Dump/Model.h"
#include "Input/FrameFile.h"
#include "Input/ProtoInputs.h"
#include "llvm/ADT/StringSet.h"
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hlobuf {

/// A file of a dump, before it is read.
struct InputFile {
  /// Empty if there is none.
  std::string Path;
  /// It can be read more than once.
  bool Regular = false;
  /// Named by hand, not found by its name.
  bool IsNamed = false;
};

/// One dump to verify.
struct Input {
  /// The file with the assignment, or a frame's name.
  std::string Path;
  /// Set if the dump is in a proto.
  std::optional<ProtoPlace> Proto;
  /// Where the thunks of a text dump are, if an executable of the same program
  /// is known.
  std::optional<ProtoPlace> Executable;
  /// Set if the dump is in a framed text, or can be read only once.
  std::shared_ptr<const FrameFile> Frames;
  /// The path below the argument that led here: what shards go by.
  std::string Relative;
  /// The names of the files in its folder, if that was searched: others are not
  /// looked for.
  std::shared_ptr<const llvm::StringSet<>> Around;
  /// By role; see locateFiles().
  std::array<InputFile, NumFileRoles> Files;
};

/// An argument that holds no dump, or cannot be read.
struct InputError {
  std::string Path;
  /// For people.
  std::string Text;
  /// What was read, if that is a text all the same.
  std::shared_ptr<const FrameFile> Read = {};
};

/// The dumps that a list of arguments stands for.
struct InputList {
  std::vector<Input> Dumps;
  std::vector<InputError> Errors;
  /// What was met and not searched, or has modules without a buffer assignment:
  /// `path (reason)`.
  std::vector<std::string> Skipped;
  /// Files of an unknown kind in which a proto was found by a search.
  std::vector<std::string> Searched;
};

/// Finds the dumps in files, folders (recursively, in order of names) and `-`.
/// Files that hold protos are known by their content, in folders by their
/// names, and there only where no text of the same name says the same. What
/// else a folder holds and could be verified is among what was skipped. A
/// fragment (values, live ranges, report) or module text stands for the dump
/// that it belongs to; each dump is listed once. In folders only regular files
/// are opened, and links to folders are not followed.
InputList findInputs(ArrayRef<std::string> Arguments);

} // namespace hlobuf

#endif // HLOBUF_INPUT_INPUTS_H
