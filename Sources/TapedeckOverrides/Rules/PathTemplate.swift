internal import TapedeckHTTP

/// A path pattern as overrides files have it: what other tools would read as something else is refused.
enum PathTemplate {
  static func pattern(_ text: String, at place: String) throws(OverrideProblem) -> PathPattern {
    if let segment = text.split(separator: "/").first(where: isExpression) {
      throw OverrideProblem(
        place,
        "\(segment): a path has no regular expressions; {id} takes any one segment, *rest all that follow")
    }
    let pattern: PathPattern
    do { pattern = try PathPattern(text) } catch { throw OverrideProblem(place, "\(error)") }
    var names: Set<String> = []
    for case .parameter(let name) in pattern.segments where !names.insert(name).inserted {
      throw OverrideProblem(
        place, "the parameter {\(name)} stands twice in \(text); give each a name of its own")
    }
    return pattern
  }

  /// Whether a segment holds what no URL does, or hardly any, and regular expressions do.
  private static func isExpression(_ segment: Substring) -> Bool {
    segment.contains("\\")
      || ["(?", "[^", ".*", ".+", "]+", "]*", "]{", "-9]", "-z]", "-Z]"].contains { sign in
        segment.utf8.indices.contains { segment.utf8[$0...].starts(with: sign.utf8) }
      }
  }
}
