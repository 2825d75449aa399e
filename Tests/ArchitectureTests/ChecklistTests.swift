import Foundation
import Testing

// The acceptance lines of what Kakapo, Feather, Shock and their kin do are numbered 1 to 304; a test for line 12 has
// `K12` in its name.

/// Lines without a test of that name, and why.
private let untested: [Int: String] = [
  289: "JSON:API atomic operations were dropped: they go beyond Kakapo and its roadmap",
  290: "so was asynchronous creation",
]

private let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// The numbers in the names of test functions.
private func testedLines() throws -> Set<Int> {
  let tests = repository.appending(path: "Tests")
  let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
  var lines: Set<Int> = []
  for case let file as URL in files ?? FileManager.DirectoryEnumerator() where file.pathExtension == "swift" {
    let text = try String(contentsOf: file, encoding: .utf8)
    for match in text.matches(of: /func `([^`]*)`/) {
      lines.formUnion(match.1.matches(of: /\bK(\d+)\b/).compactMap { Int($0.1) })
    }
  }
  return lines
}

@Test func `every line of the checklist is a test named by its number`() throws {
  let tested = try testedLines()
  let missing = Set(1...304).subtracting(tested).subtracting(untested.keys)
  #expect(missing.isEmpty, "no test is named K\(missing.sorted().map(String.init).joined(separator: ", K"))")
  let found = tested.intersection(untested.keys)
  #expect(found.isEmpty, "\(found.sorted()) have tests now, and leave the list of those that have none")
  #expect(tested.subtracting(1...304).isEmpty, "the checklist has 304 lines")
}

@Test func `K299 one package in Swift 6 mode, without packages or the Objective-C runtime`() throws {
  let manifest = try String(contentsOf: repository.appending(path: "Package.swift"), encoding: .utf8)
  #expect(manifest.contains(".swiftLanguageMode(.v6)"))
  #expect(!manifest.contains(".package("))
  #expect(!manifest.contains(".v5"))
  let sources = repository.appending(path: "Sources")
  let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
  for case let file as URL in files ?? FileManager.DirectoryEnumerator() where file.pathExtension == "swift" {
    let text = try String(contentsOf: file, encoding: .utf8)
    for trick in ["@objc", "ObjectiveC", "method_exchangeImplementations", "class_addMethod"] {
      #expect(!text.contains(trick), "\(file.lastPathComponent) uses \(trick)")
    }
  }
}
