internal import TapedeckHTTP

/// A serialization in progress: the bytes so far, and the settings of the current part.
struct SerializationRun {
  static let maximumDepth = JSONValue.defaultMaximumDepth

  var out: [UInt8] = []
  var keys: KeyMapping?
  let format: SerializationFormat
  /// The relations to embed here, and the entities around this point.
  var embedding: (snapshot: Store.Snapshot, tree: RelationTree, open: [EntityKey])?
  private(set) var depth = 0
  /// The objects being written, outermost first.
  private(set) var openObjects: [ObjectIdentifier] = []

  init(keys: KeyMapping? = nil, format: SerializationFormat = SerializationFormat()) {
    self.keys = keys
    self.format = format
  }

  /// Writes a value by the plan of its static type.
  /// - Returns: false if the value is left out.
  mutating func write<T>(_ value: borrowing T) throws(SerializationError) -> Bool {
    try withUnsafePointer(to: value) { pointer throws(SerializationError) in
      try TypePlan.make(T.self).writer.write(UnsafeRawPointer(pointer), &self)
    }
  }

  mutating func writeAny(_ value: Any) throws(SerializationError) -> Bool {
    func opened<T>(_ value: T) -> Result<Bool, SerializationError> { written(value) }
    return try _openExistential(value, do: opened).get()
  }

  /// `write` with its outcome as a value, for callers that cannot rethrow a typed error.
  mutating func written<T>(_ value: T) -> Result<Bool, SerializationError> {
    do throws(SerializationError) { return .success(try write(value)) } catch { return .failure(error) }
  }

  // MARK: Containers

  mutating func nested<Result>(
    _ body: (inout SerializationRun) throws(SerializationError) -> Result
  ) throws(SerializationError) -> Result {
    guard depth < Self.maximumDepth else { throw SerializationError(.tooDeep(limit: Self.maximumDepth)) }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  mutating func object(
    _ body: (inout SerializationRun) throws(SerializationError) -> Void
  ) throws(SerializationError) -> Bool {
    try nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "{"))
      try body(&run)
      run.out.append(UInt8(ascii: "}"))
      return true
    }
  }

  /// Writes an array of up to `count` elements; some may be left out.
  mutating func array(
    _ count: Int, _ element: (Int, inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) -> Bool {
    try nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "["))
      for index in 0..<count {
        let mark = run.out.count
        if run.out.last != UInt8(ascii: "[") { run.out.append(UInt8(ascii: ",")) }
        try run.keep(from: mark, step: "[\(index)]") { run throws(SerializationError) in
          try element(index, &run)
        }
      }
      run.out.append(UInt8(ascii: "]"))
      return true
    }
  }

  /// Runs `body`, unless the object is already being written; then it is left out.
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

  /// Writes a part, and removes everything from `mark` on if the part is left out.
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

  /// The bytes that `write` writes, removed from the output; `nil` if it writes nothing.
  mutating func captured(
    _ write: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) -> [UInt8]? {
    let start = out.count
    guard try write(&self) else { return nil }
    defer { out.removeLast(out.count - start) }
    return Array(out[start...])
  }

  /// Writes properties as an object; the last one with a name counts.
  mutating func write(object properties: [(name: String, value: Any)]) throws(SerializationError) -> Bool {
    let names = properties.map { keys?.transform($0.name) ?? $0.name }
    return try object { run throws(SerializationError) in
      for index in properties.indices where !names[(index + 1)...].contains(names[index]) {
        try run.member(Self.memberName(names[index]), step: properties[index].name) {
          run throws(SerializationError) in try run.writeAny(properties[index].value)
        }
      }
    }
  }

  mutating func write(array values: [Any]) throws(SerializationError) -> Bool {
    try array(values.count) { index, run throws(SerializationError) in try run.writeAny(values[index]) }
  }

  // MARK: Scalars

  mutating func write(literal: StaticString) -> Bool {
    out.append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    return true
  }

  @discardableResult
  mutating func write(text: String) -> Bool {
    var text = text
    out.append(UInt8(ascii: "\""))
    text.withUTF8 { JSONString.appendEscaped($0, to: &out) }
    out.append(UInt8(ascii: "\""))
    return true
  }

  /// Whole numbers have no fraction, as in JavaScript; others have the fewest digits that read back.
  mutating func write(number value: Double) throws(SerializationError) -> Bool {
    guard value.isFinite else { throw SerializationError(.notFinite("\(value)")) }
    let text = value.description
    out += text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8
    return true
  }

  /// The bytes of a member name: quoted, escaped, with its colon.
  static func memberName(_ name: String) -> [UInt8] {
    var run = SerializationRun()
    run.write(text: name)
    run.out.append(UInt8(ascii: ":"))
    return run.out
  }
}

/// A key transformer in one serialization, with a cache of the names.
final class KeyMapping {
  let transform: KeyTransformer
  private var planned: [ObjectIdentifier: [[UInt8]?]] = [:]
  private var spelled: [String: String] = [:]

  init(_ transform: @escaping KeyTransformer) { self.transform = transform }

  func name(_ key: String) -> String {
    if let known = spelled[key] { return known }
    let name = transform(key)
    spelled[key] = name
    return name
  }

  /// The member names of a structure's fields; `nil` for a field whose name a later one repeats.
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
