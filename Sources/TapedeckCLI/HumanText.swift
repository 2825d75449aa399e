/// Numbers as people read them.
enum HumanText {
  /// Rounded to a readable unit.
  static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1024: "\(bytes) B"
    case ..<(1 << 20): "\((bytes + 512) >> 10) KiB"
    case ..<(1 << 30): "\((bytes + 1 << 19) >> 20) MiB"
    default: "\((bytes + 1 << 29) >> 30) GiB"
    }
  }

  /// How long ago, in the largest unit of which there are two or more.
  static func age(_ seconds: Int) -> String {
    switch seconds {
    case ..<0: "0 s"
    case ..<120: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    case ..<5_184_000: "\(seconds / 86_400) d"
    case ..<63_072_000: "\(seconds / 2_592_000) mo"
    default: "\(seconds / 31_536_000) y"
    }
  }

  /// `1 file`, `2 files`.
  static func count(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
  }
}
