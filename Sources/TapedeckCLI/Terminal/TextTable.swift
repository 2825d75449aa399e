/// A table with a heading, as wide as its cells. On a narrower terminal, some columns are cut.
struct TextTable<Row> {
  struct Column {
    var heading: String
    var isNumeric = false
    /// The least width when cut; `nil` for a column that is never cut.
    var minimumWidth: Int?
    var color: (Row) -> Style.Color? = { _ in nil }
    var text: (Row) -> String
  }

  private static var gap: Int { 2 }
  var columns: [Column]
  var rows: [Row]

  /// - Parameter width: the columns of a terminal; `nil` cuts nothing.
  func text(width: Int? = Terminal.outputColumns, style: Style = .output) -> String {
    let cells = rows.map { row in columns.map { Printable.line($0.text(row)) } }
    let widths = widths(of: cells, fitting: width)
    let heading = line(columns.map(\.heading), widths) { style.paint($1, .dim) }
    let lines = zip(rows, cells).map { row, cells in
      line(cells, widths) { style.paint($1, columns[$0].color(row)) }
    }
    return heading + lines.joined()
  }

  private func widths(of cells: [[String]], fitting limit: Int?) -> [Int] {
    var widths = columns.indices.map { index in
      cells.map { $0[index].width }.reduce(columns[index].heading.width, max)
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

  private func line(_ cells: [String], _ widths: [Int], paint: (Int, String) -> String) -> String {
    let parts = columns.indices.map { index in
      let shown = cells[index].shortened(to: widths[index])
      let blanks = String(repeating: " ", count: widths[index] - shown.width)
      return columns[index].isNumeric ? blanks + paint(index, shown) : paint(index, shown) + blanks
    }
    let line = parts.joined(separator: String(repeating: " ", count: Self.gap))
    return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)]) + "\n"
  }
}
