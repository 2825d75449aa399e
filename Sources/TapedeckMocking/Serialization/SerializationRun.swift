internal import TapedeckHTTP

/// A serialization under way: the bytes so far, and the settings of the current part.
struct SerializationRun {
  static let maximumDepth = JSONValue.defaultMaximumDepth

  var out: [UInt8] = []
  /// The key transformer in force here; `nil` for none.
  var keys: KeyMapping?
  let format: SerializationFormat
  /// The relations that are replaced here by what they lead to; `nil` for none.
  var embedding: Embedding?
  private(set) var depth = 0
  /// The objects that are being written, outermost first.
  private(set) var openObjects: [ObjectIdentifier] = []

  init(keys: KeyMapping? = nil, format: SerializationFormat = SerializationFormat()) {
    self.keys = keys
    self.format = format
  }

  /// Writes a value by the plan of its static type.
  /// - Returns: false when nothing was written, because the value is left out.
  mutating func write<T>(_ value: borrowing T) throws(SerializationError) -> Bool {
    try withUnsafePointer(to: value) { pointer throws(SerializationError) in
      try TypePlans.plan(of: T.self).write(UnsafeRawPointer(pointer), &self)
    }
  }

  /// Writes a value by the plan of its dynamic type.
  mutating func writeAny(_ value: Any) throws(SerializationError) -> Bool {
    func opened<T>(_ value: T) -> Result<Bool, SerializationError> { written(value) }
    return try _openExistential(value, do: opened).get()
  }

  /// `write` with its outcome as a value, for callers that cannot pass on a typed error.
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

  /// Runs `body` unless this object is being written already; then it is left out.
  mutating func once(
    _ object: AnyObject, _ body: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) -> Bool {
    let identifier = ObjectIdentifier(object)
    guard !openObjects.contains(identifier) else { return false }
    openObjects.append(identifier)
    defer { openObjects.removeLast() }
    return try body(&self)
  }

  /// Writes a member with its name, unless its value is left out.
  mutating func member(
    _ name: [UInt8], step: @autoclosure () -> String,
    _ value: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) {
    let mark = out.count
    if out.last != UInt8(ascii: "{") { out.append(UInt8(ascii: ",")) }
    out += name
    try keep(from: mark, step: "." + step(), value)
  }

  /// Writes an element, unless it is left out.
  mutating func element(
    _ index: Int, _ value: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) {
    let mark = out.count
    if out.last != UInt8(ascii: "[") { out.append(UInt8(ascii: ",")) }
    try keep(from: mark, step: "[\(index)]", value)
  }

  /// Writes a part; takes back everything from `mark` on when the part is left out.
  private mutating func keep(
    from mark: Int, step: @autoclosure () -> String,
    _ value: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) {
    do throws(SerializationError) {
      if try !value(&self) { out.removeLast(out.count - mark) }
    } catch {
      throw error.inside(step())
    }
  }

  /// The bytes that `write` writes, taken out again; `nil` when it writes nothing.
  mutating func captured(
    _ write: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) -> [UInt8]? {
    let start = out.count
    guard try write(&self) else { return nil }
    defer { out.removeLast(out.count - start) }
    return Array(out[start...])
  }

  /// Writes properties as an object; of two with one name the later one counts.
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

  /// Whole numbers have no fraction, as in JavaScript; others have the fewest digits that read back.
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

/// A key transformer in one serialization. Remembers the names of each type's properties.
final class KeyMapping {
  let transform: KeyTransformer
  private var planned: [ObjectIdentifier: [[UInt8]?]] = [:]
  private var spelled: [String: String] = [:]

  init(_ transform: @escaping KeyTransformer) { self.transform = transform }

  /// `own` is applied first, then those of the wrappers around it.
  static func combined(_ own: @escaping KeyTransformer, then outer: KeyMapping?) -> KeyMapping {
    guard let outer else { return KeyMapping(own) }
    return KeyMapping { outer.transform(own($0)) }
  }

  /// One name transformed, remembered for the next time.
  func name(_ key: String) -> String {
    if let known = spelled[key] { return known }
    let name = transform(key)
    spelled[key] = name
    return name
  }

  /// The member names of a structure's fields; `nil` for one whose name a later field has, too.
  func names(of structure: StructurePlan) -> [[UInt8]?] {
    let identifier = ObjectIdentifier(structure)
    if let names = planned[identifier] { return names }
    var names: [[UInt8]?] = structure.fields.map { SerializationRun.memberName(transform($0.name)) }
    for index in names.indices.dropLast() where names[(index + 1)...].contains(names[index]) {
      names[index] = nil
    }
    planned[identifier] = names
    return names
  }
}
