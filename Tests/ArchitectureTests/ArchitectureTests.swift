import Foundation
import Testing

/// Which room may import what: the table of the README's "The house", held against every import line in `Sources`.
private let doors: [String: Set<String>] = [
  "TapedeckHTTP": [],
  "TapedeckSockets": ["CSSL", "CSystem", "Glibc", "Synchronization"],
  "TapedeckServer": ["TapedeckHTTP", "TapedeckSockets", "Synchronization"],
  "TapedeckUpstream": ["CCurl", "TapedeckHTTP", "TapedeckSockets", "Glibc"],
  "TapedeckRedaction": [
    "CBrotli", "CCrypto", "CSystem", "CZlib", "CZstandard", "TapedeckHTTP", "Synchronization",
  ],
  "TapedeckRecording": ["CSystem", "TapedeckHTTP", "TapedeckRedaction", "Glibc", "Synchronization"],
  // Of Redaction only the digests, of Recording the names of files.
  "TapedeckObjectStore": [
    "TapedeckHTTP", "TapedeckRecording", "TapedeckRedaction", "TapedeckUpstream", "Glibc",
  ],
  "TapedeckFormats": ["CYAML", "TapedeckHTTP", "TapedeckRecording", "TapedeckRedaction"],
  "TapedeckMaintenance": [
    "TapedeckFormats", "TapedeckHTTP", "TapedeckOverrides", "TapedeckRecording", "TapedeckRedaction",
    "Synchronization",
  ],
  // `Swift` by name only for its reflection, which is no public part of it.
  "TapedeckMocking": ["TapedeckHTTP", "Swift", "Synchronization"],
  "TapedeckResources": ["TapedeckHTTP", "TapedeckMocking", "Synchronization"],
  // Of Redaction only what opens coded bodies, so that patches can change them.
  "TapedeckOverrides": [
    "TapedeckHTTP", "TapedeckMocking", "TapedeckRedaction", "TapedeckResources", "TapedeckSockets",
    "Synchronization",
  ],
  "TapedeckProxy": [
    "TapedeckFormats", "TapedeckHTTP", "TapedeckMocking", "TapedeckOverrides",
    "TapedeckRecording", "TapedeckRedaction", "TapedeckResources", "TapedeckServer", "TapedeckSockets",
    "TapedeckUpstream", "Synchronization",
  ],
  "TapedeckAdmin": [
    "TapedeckHTTP", "TapedeckMaintenance", "TapedeckOverrides", "TapedeckProxy", "TapedeckServer",
    "TapedeckSockets", "Synchronization",
  ],
  "TapedeckInterception": [
    "TapedeckHTTP", "TapedeckMocking", "Dispatch", "Foundation", "FoundationNetworking", "Synchronization",
  ],
  "Tapedeck": [
    "Foundation", "TapedeckAdmin", "TapedeckHTTP", "TapedeckInterception", "TapedeckMocking",
    "TapedeckOverrides",
    "TapedeckProxy", "TapedeckRecording", "TapedeckRedaction", "TapedeckResources",
  ],
  // Swift Testing stands here, so that ordinary programs do not link it.
  "TapedeckTesting": [
    "Foundation", "Tapedeck", "TapedeckHTTP", "TapedeckMocking", "TapedeckProxy", "Synchronization",
    "Testing",
  ],
  "TapedeckCLI": [
    "NewsFeed", "TapedeckAdmin", "TapedeckFormats", "TapedeckHTTP", "TapedeckMaintenance", "TapedeckMocking",
    "TapedeckObjectStore", "TapedeckOverrides", "TapedeckProxy", "TapedeckRecording", "TapedeckRedaction",
    "TapedeckSockets", "Glibc", "Synchronization",
  ],
  // The example, and a server around it as a user would write it.
  "NewsFeed": ["TapedeckHTTP", "TapedeckMocking", "Glibc"],
  "NewsFeedServer": ["NewsFeed", "Tapedeck", "Glibc"],
]

/// Who is the only one to have heard of something; what wants it belongs there.
private let onlyRoom = [
  "CCurl": "TapedeckUpstream", "CCrypto": "TapedeckRedaction",
  "CSSL": "TapedeckSockets", "CZlib": "TapedeckRedaction",
  "CBrotli": "TapedeckRedaction", "CZstandard": "TapedeckRedaction", "CYAML": "TapedeckFormats",
  "FoundationNetworking": "TapedeckInterception", "Testing": "TapedeckTesting",
]

private struct ImportLine: CustomStringConvertible {
  var room: String
  var module: String
  var place: String
  var description: String { place }
}

private func importLines() throws -> [ImportLine] {
  let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources")
  let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
  return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.flatMap { file in
    let parts = file.pathComponents.drop { $0 != "Sources" }.dropFirst()
    let lines = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { number, line -> ImportLine? in
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "import"), words[..<index].allSatisfy({ isImportModifier($0) }),
        let module = words[(index + 1)...].last
      else { return nil }
      return ImportLine(
        room: parts.first ?? "", module: module.split(separator: ".").first.map(String.init) ?? "",
        place: "\(parts.joined(separator: "/")):\(number + 1)")
    }
  }
}

private func isImportModifier(_ word: Substring) -> Bool {
  ["public", "internal", "package", "private", "fileprivate"].contains(word) || word.hasPrefix("@")
}

@Test func `every import goes through a door`() throws {
  let lines = try importLines()
  #expect(lines.count > 50, "the walk over Sources found too little to mean anything")
  for line in lines {
    let allowed = doors[line.room]
    #expect(
      allowed?.contains(line.module) == true,
      "\(line.place): \(line.room) may not import \(line.module); the line wants to live in \(wantedRoom(line))"
    )
  }
}

private func wantedRoom(_ line: ImportLine) -> String {
  if let only = onlyRoom[line.module] { return only }
  let rooms = doors.filter { $0.value.contains(line.module) }.keys.sorted()
  return rooms.isEmpty
    ? "no room at all: no other package or library is used" : rooms.joined(separator: " or ")
}

@Test func `unsafe concurrency stays in Sockets, Server, Upstream and Interception`() throws {
  let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources")
  let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
  for case let file as URL in files ?? FileManager.DirectoryEnumerator() where file.pathExtension == "swift" {
    let text = try String(contentsOf: file, encoding: .utf8)
    let room = file.pathComponents.drop { $0 != "Sources" }.dropFirst().first ?? ""
    if text.contains("@unchecked Sendable") || text.contains("nonisolated(unsafe)") {
      #expect(
        ["TapedeckSockets", "TapedeckServer", "TapedeckUpstream", "TapedeckInterception"].contains(room),
        "\(file.lastPathComponent) in \(room)")
    }
    #expect(!text.contains("try!"), "\(file.lastPathComponent) would crash instead of telling")
  }
}

@Test func `every file that the article on the architecture names is there`() throws {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let article = try String(
    contentsOf: root.appending(path: "Sources/Tapedeck/Tapedeck.docc/Architecture.md"), encoding: .utf8)
  let paths = article.matches(of: /`([A-Z][A-Za-z]+\/[A-Za-z\/+.]+)`/).map { String($0.1) }
  #expect(paths.count > 30)
  for path in paths {
    // The walks name `Room/Folder/File`; the table of changes and the rest name whole paths.
    let places = [path, "Sources/\(path)", "Sources/Tapedeck\(path).swift"]
    #expect(
      places.contains { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }, "\(path)")
  }
}
