/// The time at which a request is signed, to the second, in UTC.
package struct SigningTime: Sendable, Equatable {
  /// As in `20130524T000000Z`.
  package let text: String
  /// As in `20130524`.
  var day: String { String(text.prefix(8)) }

  private static let secondsPerDay = 86_400

  /// - Parameter seconds: since 1970-01-01 UTC; not negative.
  package init(secondsSince1970 seconds: Int) {
    let (days, rest) = seconds.quotientAndRemainder(dividingBy: Self.secondsPerDay)
    // Days are counted from 0000-03-01, so that the leap day is the last of a year, in eras of 400 years.
    let shifted = days + 719_468
    let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    func padded(_ number: Int, _ width: Int = 2) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    text =
      padded(year, 4) + padded(month) + padded(day) + "T" + padded(rest / 3600) + padded(rest / 60 % 60)
      + padded(rest % 60) + "Z"
  }

  /// - Parameter text: as in `20130524T000000Z`.
  init(text: String) { self.text = text }
}
