/// Rows of cells in columns, with a heading, as wide as they must be; where there is a limit, the columns that may give
/// way do.
struct TextTable {
  struct Column {
    var heading: String
    var isNumeric = false
    /// The least width it may be cut to; nil for one that must stand whole.
    var minimumWidth: Int?
  }

  struct Cell {
    var text: String
    var color: Style.Color?
    init(_ text: String, _ color: Style.Color? = nil) {
      self.text = text
      self.color = color
    }
  }

  private static let gap = 2
  var columns: [Column]
  var rows: [[Cell]] = []

  /// - Parameter width: how many columns a terminal has; nil leaves everything as long as it is.
  func text(width: Int?, style: Style) -> String {
    let widths = widths(fitting: width)
    let heading = line(columns.map { Cell($0.heading, .dim) }, widths, style)
    return heading + rows.map { line($0, widths, style) }.joined()
  }

  private func widths(fitting limit: Int?) -> [Int] {
    var widths = columns.indices.map { index in
      rows.map { TextWidth.of($0[index].text) }.reduce(TextWidth.of(columns[index].heading), max)
    }
    guard let limit else { return widths }
    var excess = widths.reduce(0, +) + Self.gap * (columns.count - 1) - limit
    while excess > 0 {
      let candidates = columns.indices.filter { widths[$0] > columns[$0].minimumWidth ?? widths[$0] }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
      let next = candidates.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
      let floor = max(columns[widest].minimumWidth ?? 0, min(next - 1, widths[widest] - 1))
      let cut = min(excess, widths[widest] - floor)
      widths[widest] -= cut
      excess -= cut
    }
    return widths
  }

  private func line(_ cells: [Cell], _ widths: [Int], _ style: Style) -> String {
    let parts = columns.indices.map { index in
      let (cell, width) = (cells[index], widths[index])
      let shown = TextWidth.shortened(cell.text, to: width)
      let blanks = String(repeating: " ", count: width - TextWidth.of(shown))
      let painted = style.paint(shown, cell.color)
      if columns[index].isNumeric { return blanks + painted }
      return painted + blanks
    }
    let line = parts.joined(separator: String(repeating: " ", count: Self.gap))
    return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)]) + "\n"
  }
}
