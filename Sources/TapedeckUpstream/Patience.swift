/// A timeout as it is told to people: how long, and the option that sets it.
struct Patience: CustomStringConvertible {
  private let milliseconds: Int
  private let option: String

  init(_ milliseconds: Int, option: String) {
    self.milliseconds = milliseconds
    self.option = option
  }

  var description: String {
    let time = milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    return "\(time) (\(option))"
  }
}
