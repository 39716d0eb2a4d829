// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM writes tar archives and reads neither kind. libarchive would bring six
// more libraries into a static program, for two formats of one page each:
// POSIX.1-2008 pax, and PKWARE's APPNOTE 6.3.

#include "Support/Archive.h"
#include "Support/Decompress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <zlib.h>

using namespace hlobuf;
using llvm::StringRef;
using llvm::support::endian::read16le;
using llvm::support::endian::read32le;

static llvm::Error cutOff() { return damagedData("the archive is cut off"); }

static constexpr size_t BlockBytes = 512;

/// A field that ends at its first NUL.
static StringRef tarText(StringRef Block, size_t At, size_t Bytes) {
  StringRef Field = Block.substr(At, Bytes);
  return Field.take_front(Field.find('\0'));
}

/// An octal number, or one of base 256, which GNU writes from 8 GiB on; nothing
/// if it is neither.
static std::optional<uint64_t> tarNumber(StringRef Field) {
  uint64_t Value = 0;
  if (!Field.empty() && Field[0] == '\x80') {
    for (char C : Field.drop_front(Field.size() - sizeof(Value)))
      Value = Value << 8 | static_cast<uint8_t>(C);
    return Value;
  }
  StringRef Digits = Field.take_front(Field.find('\0')).trim(' ');
  if (Digits.empty() || !Digits.getAsInteger(8, Value))
    return Value;
  return std::nullopt;
}

/// The sum of all bytes of \p Block is in it, counted with spaces in its own
/// place.
static bool isTarHeader(StringRef Block) {
  constexpr size_t At = 148, Bytes = 8;
  if (Block.size() < BlockBytes || Block[0] == '\0')
    return false;
  uint64_t Sum = Bytes * ' ';
  for (size_t I = 0; I != BlockBytes; ++I)
    if (I < At || I >= At + Bytes)
      Sum += static_cast<uint8_t>(Block[I]);
  return tarNumber(Block.substr(At, Bytes)) == Sum;
}

namespace {
/// Walks over the headers of a tar archive.
class TarReader {
public:
  explicit TarReader(StringRef Bytes) : Rest(Bytes) {}
  llvm::Expected<std::vector<ArchiveMember>> read();

private:
  llvm::Error readEntry(StringRef Header);
  llvm::Error readPax(StringRef Records);
  void addMember(StringRef Header, StringRef Content);

  StringRef Rest;
  std::vector<ArchiveMember> Members;
  /// What an extended header says of the entry that follows it.
  std::string LongName;
  std::optional<uint64_t> LongSize;
};
} // namespace

llvm::Expected<std::vector<ArchiveMember>> TarReader::read() {
  while (true) {
    if (Rest.size() < BlockBytes)
      return cutOff();
    StringRef Header = Rest.take_front(BlockBytes);
    if (Header.find_first_not_of('\0') == StringRef::npos)
      return std::move(Members);
    if (!isTarHeader(Header))
      return damagedData("damaged tar header");
    Rest = Rest.drop_front(BlockBytes);
    if (llvm::Error Failed = readEntry(Header))
      return std::move(Failed);
  }
}

llvm::Error TarReader::readEntry(StringRef Header) {
  std::optional<uint64_t> Size = tarNumber(Header.substr(124, 12));
  if (LongSize)
    Size = LongSize;
  if (!Size)
    return damagedData("damaged tar header");
  char Type = Header[156];
  // Links, devices and folders have no content, whatever they say.
  if (Type >= '1' && Type <= '6')
    Size = 0;
  if (*Size > Rest.size())
    return cutOff();
  StringRef Content = Rest.take_front(*Size);
  Rest = Rest.drop_front(
      std::min<uint64_t>(Rest.size(), llvm::alignTo(*Size, BlockBytes)));
  if (Type == 'x')
    return readPax(Content);
  if (Type == 'L') {
    LongName = Content.take_front(Content.find('\0')).str();
    return llvm::Error::success();
  }
  if (Type == '0' || Type == '\0' || Type == '7')
    addMember(Header, Content);
  else if (Type == 'S')
    return damagedData("a sparse file in a tar archive");
  LongName.clear();
  LongSize.reset();
  return llvm::Error::success();
}

/// Records `LENGTH KEY=VALUE\n`.
llvm::Error TarReader::readPax(StringRef Records) {
  while (!Records.empty()) {
    size_t Length = 0;
    StringRef Digits = Records.take_front(Records.find(' '));
    if (Digits.getAsInteger(10, Length) || Length > Records.size() ||
        Length < Digits.size() + 2 || Records[Length - 1] != '\n')
      return damagedData("damaged tar header");
    auto [Key, Value] = Records.slice(Digits.size() + 1, Length - 1).split('=');
    uint64_t Number = 0;
    if (Key == "path")
      LongName = Value.str();
    else if (Key == "size" && !Value.getAsInteger(10, Number))
      LongSize = Number;
    Records = Records.drop_front(Length);
  }
  return llvm::Error::success();
}

void TarReader::addMember(StringRef Header, StringRef Content) {
  ArchiveMember &Member = Members.emplace_back();
  Member.Name = LongName;
  if (LongName.empty()) {
    // What GNU keeps where POSIX has the folders is something else.
    StringRef Folder = Header.substr(257, 6) == StringRef("ustar\0", 6)
                           ? tarText(Header, 345, 155)
                           : StringRef();
    Member.Name = (Folder + (Folder.empty() ? "" : "/")).str();
    Member.Name += tarText(Header, 0, 100);
  }
  Member.Stored = Content;
  Member.Size = Content.size();
}

static constexpr StringRef EndMark = "PK\x05\x06";
static constexpr StringRef EntryMark = "PK\x01\x02";
static constexpr StringRef LocalMark = "PK\x03\x04";

/// The record at the end, which is followed by a comment of the length that it
/// says; empty if there is none.
static StringRef zipEnd(StringRef Bytes) {
  constexpr size_t EndBytes = 22, MaxComment = 65535;
  StringRef Tail = Bytes.take_back(EndBytes + MaxComment);
  for (size_t At = Tail.rfind(EndMark); At != StringRef::npos;
       At = Tail.take_front(At).rfind(EndMark)) {
    StringRef End = Tail.drop_front(At);
    if (End.size() >= EndBytes &&
        End.size() == EndBytes + read16le(End.data() + 20))
      return End;
  }
  return StringRef();
}

/// The stored bytes of an entry whose local header is at \p Offset; nothing if
/// they are not all there.
static std::optional<StringRef> zipContent(StringRef Bytes, uint64_t Offset,
                                           uint64_t Size) {
  constexpr size_t LocalBytes = 30;
  StringRef Local = Bytes.drop_front(std::min<uint64_t>(Offset, Bytes.size()));
  if (Local.size() < LocalBytes || !Local.starts_with(LocalMark))
    return std::nullopt;
  size_t Skipped =
      LocalBytes + read16le(Local.data() + 26) + read16le(Local.data() + 28);
  if (Local.size() < Skipped || Local.size() - Skipped < Size)
    return std::nullopt;
  return Local.substr(Skipped, Size);
}

static llvm::Expected<std::vector<ArchiveMember>> readZip(StringRef Bytes) {
  constexpr size_t EntryBytes = 46;
  StringRef End = zipEnd(Bytes);
  if (End.empty())
    return cutOff();
  unsigned Entries = read16le(End.data() + 10);
  uint32_t Begin = read32le(End.data() + 16);
  if (Begin == UINT32_MAX || read16le(End.data() + 4) != 0)
    return damagedData("zip archives of several volumes or over 4 GiB are not "
                       "supported");
  std::vector<ArchiveMember> Members;
  StringRef Rest = Bytes.drop_front(std::min<uint64_t>(Begin, Bytes.size()));
  for (; Entries != 0; --Entries) {
    if (Rest.size() < EntryBytes || !Rest.starts_with(EntryMark))
      return damagedData("damaged zip directory");
    const char *Entry = Rest.data();
    uint32_t Stored = read32le(Entry + 20);
    uint16_t NameBytes = read16le(Entry + 28);
    size_t Whole =
        EntryBytes + NameBytes + read16le(Entry + 30) + read16le(Entry + 32);
    auto Content = zipContent(Bytes, read32le(Entry + 42), Stored);
    if (Rest.size() < Whole || !Content)
      return damagedData("damaged zip directory");
    StringRef Name = Rest.substr(EntryBytes, NameBytes);
    uint16_t Method = read16le(Entry + 10);
    bool Encrypted = read16le(Entry + 8) & 1;
    if (!Name.ends_with("/"))
      Members.push_back({Name.str(), *Content, read32le(Entry + 24),
                         read32le(Entry + 16), Method == 8,
                         Encrypted || (Method != 0 && Method != 8)});
    Rest = Rest.drop_front(Whole);
  }
  return Members;
}

bool hlobuf::isArchive(StringRef Start) {
  return Start.starts_with(LocalMark) || Start.starts_with(EndMark) ||
         isTarHeader(Start);
}

llvm::Expected<std::vector<ArchiveMember>>
hlobuf::listArchive(StringRef Bytes) {
  if (isTarHeader(Bytes))
    return TarReader(Bytes).read();
  return readZip(Bytes);
}

llvm::Expected<std::string> hlobuf::readMember(const ArchiveMember &Member,
                                               uint64_t MaxBytes) {
  if (Member.Unsupported)
    return damagedData("it is encrypted, or compressed in a way that is not "
                       "supported");
  if (Member.Size > MaxBytes)
    return fileTooLarge();
  if (!Member.Deflated)
    return Member.Stored.str();
  llvm::Expected<std::string> Text = inflateRaw(Member.Stored, Member.Size);
  if (Text && crc32(0, reinterpret_cast<const Bytef *>(Text->data()),
                    static_cast<uInt>(Text->size())) != Member.Crc)
    return damagedData("damaged zip data");
  return Text;
}
