import Foundation

/// A directory of a test's own, removed with it.
package final class TemporaryDirectory {
  package let path: String

  package init() throws {
    path = NSTemporaryDirectory() + "tapedeck-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  package func write(_ name: String, _ content: some Sequence<UInt8>) throws {
    let url = URL(fileURLWithPath: self(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(Array(content)).write(to: url)
  }

  package func write(_ name: String, _ text: String) throws { try write(name, text.utf8) }

  package func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: self(name))))
  }

  package func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

  /// Every file below `folder`, by relative name.
  package func contents(of folder: String = ".") throws -> [String: [UInt8]] {
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

  package func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self(name)) }

  package func names(of folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: self(folder)).sorted()
  }

  package func copy(_ source: String, to target: String) throws {
    try? FileManager.default.removeItem(atPath: self(target))
    try FileManager.default.copyItem(atPath: self(source), toPath: self(target))
  }

  package func delete(_ name: String) throws { try FileManager.default.removeItem(atPath: self(name)) }
}
