extension PreparedResponse {
  /// The sizes of the chunks it is framed in, read back from our own framing; none where it is not.
  package var chunkSizes: [Int] {
    guard unchunked != nil else { return [] }
    var sizes: [Int] = []
    var index = 0
    while index < wireBody.count {
      var size = 0
      while let digit = ASCII.hexValue(wireBody[index]) {
        size = size << 4 | Int(digit)
        index += 1
      }
      if size == 0 { return sizes }
      sizes.append(size)
      // The line's end, the chunk, and its end.
      index += size + 4
    }
    return sizes
  }
}
