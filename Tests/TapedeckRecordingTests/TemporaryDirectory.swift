import Foundation
import Testing

@testable import TapedeckRecording

/// A directory of a test's own, removed with it.
final class TemporaryDirectory {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "tapedeck-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ name: String, _ content: some Sequence<UInt8>) throws {
    let url = URL(fileURLWithPath: self(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(Array(content)).write(to: url)
  }

  func write(_ name: String, _ text: String) throws { try write(name, text.utf8) }

  func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: self(name))))
  }

  func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

  /// Every file below `folder`, by relative name.
  func contents(of folder: String = ".") throws -> [String: [UInt8]] {
    let root = self(folder)
    var found: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
      var isDirectory: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(root)/\(name)", isDirectory: &isDirectory)
      if !isDirectory.boolValue {
        found[name] = Array(try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(name)")))
      }
    }
    return found
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self(name)) }

  func names(of folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: self(folder)).sorted()
  }

  func copy(_ source: String, to target: String) throws {
    try? FileManager.default.removeItem(atPath: self(target))
    try FileManager.default.copyItem(atPath: self(source), toPath: self(target))
  }

  func delete(_ name: String) throws { try FileManager.default.removeItem(atPath: self(name)) }
}
