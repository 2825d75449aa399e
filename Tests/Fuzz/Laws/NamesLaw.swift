import TapedeckHTTP

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// URL to file name: whatever is asked for, a short plain name that stays in the folder and is read as it was made.
///
/// The input is a method, a blank and a target; all of it is also tried as the name of a file that is there.
enum NamesLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let parts = input.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
    let request = HTTPRequest(
      method: HTTPMethod(rawValue: String(decoding: parts.first ?? [], as: UTF8.self)),
      target: Array(parts.dropFirst().first ?? []))
    let digest = RequestMatcher().key(for: request).digest
    for stem in CassetteNames.stems(of: digest, prefix: CassetteNames.prefix(of: request)) {
      for ordinal in [1, 2, 999_999_999] {
        let name = CassetteNames.name(stem: stem, ordinal: ordinal)
        try isSafe(name)
        try require(CassetteNames.isInteraction(name), "\(name) is not found again")
        try require(CassetteNames.parse(name) == (stem, ordinal), "\(name) is read as another")
      }
    }
    try isReadAsItIs(String(decoding: input, as: UTF8.self))
    for scheme in [HTTPScheme.http, .https] {
      guard let origin = HTTPOrigin(scheme, authority: input) else { continue }
      try isSafe(folder: CassetteNames.folder(of: origin))
      try require(HTTPOrigin("\(origin)") == origin, "\(origin) is read as another")
    }
  }

  /// A plain name of a folder, and none that a cassette uses otherwise.
  static func isSafe(folder: String) throws(BrokenLaw) {
    let bytes = Array(folder.utf8)
    let isPlain = bytes.allSatisfy {
      ASCII.isWord($0) && ASCII.lowercased($0) == $0 || $0 == UInt8(ascii: ".")
    }
    try require(isPlain && bytes.count < 255, "the folder \(folder.debugDescription)")
    try require(CassetteNames.isFolder(folder), "the folder \(folder.debugDescription) is not found again")
    try require(!CassetteNames.isInteraction(folder) && folder != BodyFile.folder, "the folder \(folder)")
  }

  /// One component of a path, of `a-z`, `0-9`, `.` and `-`.
  static func isSafe(_ name: String) throws(BrokenLaw) {
    let bytes = Array(name.utf8)
    let isPlain = bytes.allSatisfy {
      switch $0 {
      case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "-"): true
      default: false
      }
    }
    try require(isPlain && bytes.count <= 255, "the name \(name.debugDescription)")
    try require(
      bytes.first != UInt8(ascii: ".") && name.hasSuffix(".json"), "the name \(name.debugDescription)")
    try require(name != CassetteNames.manifest && name != CassetteNames.journal, "the name \(name)")
  }

  private static func isReadAsItIs(_ name: String) throws(BrokenLaw) {
    if CassetteNames.isInteraction(name) {
      let (stem, ordinal) = CassetteNames.parse(name)
      let again = CassetteNames.name(stem: stem, ordinal: ordinal)
      try require(Array(again.utf8) == Array(name.utf8), "\(name.debugDescription) became \(again)")
    }
    if BodyFile.isName(name) {
      let leaf = Array(name.utf8.dropFirst(7))
      try require(name.utf8.starts(with: "bodies/".utf8) && !leaf.contains(0x2F), "the body \(name)")
    }
  }
}
