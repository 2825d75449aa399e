internal import TapedeckHTTP

/// One serialisation under way: the bytes so far, and what holds for the part being written.
struct SerializationRun {
  static let maximumDepth = JSONValue.defaultMaximumDepth

  var out: [UInt8] = []
  /// What happens to keys here; nil leaves them as they are.
  var keys: KeyMapping?
  let format: SerializationFormat
  /// The relations that are replaced here by what they lead to; nil for none.
  var embedding: Embedding?
  private(set) var depth = 0
  /// The objects that are being written, outermost first.
  private(set) var openObjects: [ObjectIdentifier] = []

  init(keys: KeyMapping? = nil, format: SerializationFormat = SerializationFormat()) {
    self.keys = keys
    self.format = format
  }

  /// Writes a value by the plan of its type; false when there was nothing to say, and nothing was written.
  mutating func write<T>(_ value: borrowing T) throws(SerializationError) -> Bool {
    try withUnsafePointer(to: value) { pointer throws(SerializationError) in
      try TypePlans.plan(of: T.self).write(UnsafeRawPointer(pointer), &self)
    }
  }

  /// Writes a value by the plan of the type it turns out to have.
  mutating func writeAny(_ value: Any) throws(SerializationError) -> Bool {
    func opened<T>(_ value: T) -> Result<Bool, SerializationError> { written(value) }
    return try _openExistential(value, do: opened).get()
  }

  /// `write` with its outcome as a value, for where no error can be thrown through.
  mutating func written<T>(_ value: T) -> Result<Bool, SerializationError> {
    do throws(SerializationError) { return .success(try write(value)) } catch { return .failure(error) }
  }

  // MARK: Containers

  /// One level further down while `body` runs.
  mutating func nested<Result>(
    _ body: (inout SerializationRun) throws(SerializationError) -> Result
  ) throws(SerializationError) -> Result {
    guard depth < Self.maximumDepth else { throw SerializationError(.tooDeep(limit: Self.maximumDepth)) }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  /// Runs `body` unless this object is being written already: then it is left out.
  mutating func once(
    _ object: AnyObject, _ body: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) -> Bool {
    let identifier = ObjectIdentifier(object)
    guard !openObjects.contains(identifier) else { return false }
    openObjects.append(identifier)
    defer { openObjects.removeLast() }
    return try body(&self)
  }

  /// Writes a member, name included, unless its value turns out to say nothing.
  mutating func member(
    _ name: [UInt8], step: @autoclosure () -> String,
    _ value: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) {
    let mark = out.count
    if out.last != UInt8(ascii: "{") { out.append(UInt8(ascii: ",")) }
    out += name
    do throws(SerializationError) {
      if try !value(&self) { out.removeLast(out.count - mark) }
    } catch {
      throw error.inside("." + step())
    }
  }

  /// Writes an element, unless it turns out to say nothing.
  mutating func element(
    _ index: Int, _ value: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) {
    let mark = out.count
    if out.last != UInt8(ascii: "[") { out.append(UInt8(ascii: ",")) }
    do throws(SerializationError) {
      if try !value(&self) { out.removeLast(out.count - mark) }
    } catch {
      throw error.inside("[\(index)]")
    }
  }

  /// What `write` writes, taken out again; nil when there was nothing to say.
  mutating func captured(
    _ write: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) -> [UInt8]? {
    let start = out.count
    guard try write(&self) else { return nil }
    defer { out.removeLast(out.count - start) }
    return Array(out[start...])
  }

  /// Writes properties as an object. Of two with one name the later one stays.
  mutating func writeObject(_ properties: [Property]) throws(SerializationError) {
    let names = properties.map { keys?.transform($0.name) ?? $0.name }
    try nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "{"))
      for index in properties.indices where !names[(index + 1)...].contains(names[index]) {
        try run.member(Self.memberName(names[index]), step: properties[index].name) {
          run throws(SerializationError) in try run.writeAny(properties[index].value)
        }
      }
      run.out.append(UInt8(ascii: "}"))
    }
  }

  mutating func writeArray(_ values: [Any]) throws(SerializationError) {
    try nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "["))
      for index in values.indices {
        try run.element(index) { run throws(SerializationError) in try run.writeAny(values[index]) }
      }
      run.out.append(UInt8(ascii: "]"))
    }
  }

  // MARK: Scalars

  mutating func write(literal: StaticString) {
    out.append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  mutating func write(text: String) {
    var text = text
    out.append(UInt8(ascii: "\""))
    text.withUTF8 { JSONString.appendEscaped($0, to: &out) }
    out.append(UInt8(ascii: "\""))
  }

  mutating func write(integer value: some FixedWidthInteger) { out += String(value).utf8 }

  /// Whole numbers go without a fraction, as JavaScript has it; others with the fewest digits that read back.
  mutating func write(number value: Double) throws(SerializationError) {
    guard value.isFinite else { throw SerializationError(.notFinite("\(value)")) }
    let text = value.description
    out += text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8
  }

  /// The bytes of `name` as a member name: quoted, escaped, with its colon.
  static func memberName(_ name: String) -> [UInt8] {
    var run = SerializationRun()
    run.write(text: name)
    run.out.append(UInt8(ascii: ":"))
    return run.out
  }
}
