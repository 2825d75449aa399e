internal import TapedeckHTTP

/// The file that `--overrides` names: `{"routes": […], "resources": […], "patches": […], "faults": […]}`, each of which
/// may be missing.
public enum OverridesFile {
  /// Puts the rules of a file's bytes in the place of those it had before. Throws what is wrong with it, and then
  /// changes nothing.
  public static func load(
    _ bytes: [UInt8], named file: String, into overrides: Overrides
  ) throws(ProxyError) {
    let document: JSONValue
    do { document = try JSONValue(parsing: bytes) } catch {
      throw .badOverrides(file: file, problem: "not JSON: \(error)")
    }
    do throws(OverrideProblem) { try overrides.load(document, folder: folder(of: file)) } catch {
      throw .badOverrides(file: file, problem: "\(error)")
    }
  }

  private static func folder(of file: String) -> String {
    file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
  }
}
