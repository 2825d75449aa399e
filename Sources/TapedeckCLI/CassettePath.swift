/// From the name of a cassette to its folder.
enum CassettePath {
  /// A bare name is `Cassettes/NAME`; anything with a slash is a path.
  static func resolve(_ name: String) throws(UsageError) -> String {
    if name.contains("/") { return name }
    let allowed = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard allowed, !name.hasPrefix("."), name.utf8.count <= 200 else {
      throw UsageError(
        "\(name.debugDescription) is no cassette name: use letters, digits, '.', '_' and '-', or a path with a slash"
      )
    }
    return "Cassettes/\(name)"
  }
}
