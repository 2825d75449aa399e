internal import TapedeckHTTP

// MARK: Scalars

extension String: Serializable, Writable {
  func write(to run: inout SerializationRun) -> Bool { run.write(text: self) }
}

extension Substring: Serializable, Writable {
  func write(to run: inout SerializationRun) -> Bool { run.write(text: description) }
}

extension Character: Serializable, Writable {
  func write(to run: inout SerializationRun) -> Bool { run.write(text: description) }
}

extension Bool: Serializable, Writable {
  func write(to run: inout SerializationRun) -> Bool { run.write(literal: self ? "true" : "false") }
}

extension Double: Serializable, Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.write(number: self)
  }
}

extension Float: Serializable, Writable {
  /// Writes the digits of the float, not those of the double.
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.write(number: Double(description) ?? .nan)
  }
}

extension Writable where Self: FixedWidthInteger {
  func write(to run: inout SerializationRun) -> Bool {
    run.out += String(self).utf8
    return true
  }
}

extension Int: Serializable, Writable {}
extension Int8: Serializable, Writable {}
extension Int16: Serializable, Writable {}
extension Int32: Serializable, Writable {}
extension Int64: Serializable, Writable {}
extension UInt: Serializable, Writable {}
extension UInt8: Serializable, Writable {}
extension UInt16: Serializable, Writable {}
extension UInt32: Serializable, Writable {}
extension UInt64: Serializable, Writable {}

extension JSONValue: Serializable, Writable {
  func write(to run: inout SerializationRun) -> Bool {
    let value = run.keys.map { transformingKeys($0.transform) } ?? self
    value.write(.compact, to: &run.out)
    return true
  }

  private func transformingKeys(_ transform: KeyTransformer) -> JSONValue {
    switch self {
    case .null, .bool, .number, .string: self
    case .array(let items): .array(items.map { $0.transformingKeys(transform) })
    case .object(let members):
      .object(
        members.map { member in
          JSONMember(JSONString(transform(member.name.text)), member.value.transformingKeys(transform))
        })
    }
  }
}

// MARK: - Containers

extension Optional: Serializable, SelfWriting {
  static var writer: ValueWriter {
    let wrapped = LazyWriter<Wrapped>()
    return ValueWriter(of: Self.self) { value, run throws(SerializationError) in
      guard let value = value.pointee else { return false }
      return try wrapped.write(value: value, &run)
    }
  }
}

extension Array: Serializable, SelfWriting {
  static var writer: ValueWriter {
    let element = LazyWriter<Element>()
    return ValueWriter(of: Self.self) { value, run throws(SerializationError) in
      try value.pointee.withElements { elements throws(SerializationError) in
        try run.array(elements.count) { index, run throws(SerializationError) in
          guard let start = elements.baseAddress else { return false }
          return try element.write(UnsafeRawPointer(start + index), &run)
        }
      }
    }
  }

  /// Like `withUnsafeBufferPointer`, but keeps the type of the error.
  private func withElements<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { buffer throws(Failure) in try body(buffer) }
  }
}

extension Set: Serializable, SelfWriting {
  static var writer: ValueWriter { ValueWriter(SetWriter<Element>().write) }
}

/// Sorts elements by their JSON, so that equal sets are written alike.
private struct SetWriter<Element: Hashable>: Sendable {
  private let element = LazyWriter<Element>()

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    var written: [[UInt8]] = []
    for item in pointer.assumingMemoryBound(to: Set<Element>.self).pointee {
      let bytes = try run.captured { run throws(SerializationError) in try element.write(value: item, &run) }
      if let bytes { written.append(bytes) }
    }
    written.sort { $0.lexicographicallyPrecedes($1) }
    run.out.append(UInt8(ascii: "["))
    run.out += written.joined(separator: [UInt8(ascii: ",")])
    run.out.append(UInt8(ascii: "]"))
    return true
  }
}

extension Dictionary: Serializable, SelfWriting {
  static var writer: ValueWriter { ValueWriter(DictionaryWriter<Key, Value>().write) }
}

private struct DictionaryWriter<Key: Hashable, Element>: Sendable {
  private let element = LazyWriter<Element>()

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    let dictionary = pointer.assumingMemoryBound(to: [Key: Element].self).pointee
    var entries: [(name: String, value: Element)] = []
    entries.reserveCapacity(dictionary.count)
    for (key, value) in dictionary {
      let name = try memberName(of: key)
      entries.append((run.keys?.transform(name) ?? name, value))
    }
    entries.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return try run.object { run throws(SerializationError) in
      for index in entries.indices where index == 0 || entries[index - 1].name != entries[index].name {
        let entry = entries[index]
        try run.member(SerializationRun.memberName(entry.name), step: entry.name) {
          run throws(SerializationError) in try element.write(value: entry.value, &run)
        }
      }
    }
  }
}

/// The member name of a key: the string itself, a number's digits, or else the raw value or coding key.
private func memberName<Key>(of key: Key) throws(SerializationError) -> String {
  if let text = key as? String { return text }
  if let key = key as? AnyHashable, Key.self == AnyHashable.self {
    func opened<Base>(_ base: Base) -> Result<String, SerializationError> {
      do throws(SerializationError) { return .success(try memberName(of: base)) } catch {
        return .failure(error)
      }
    }
    return try _openExistential(key.base, do: opened).get()
  }
  if let key = key as? any CodingKeyRepresentable { return key.codingKey.stringValue }
  if let key = key as? any RawRepresentable { return try rawName(of: key) }
  if let key = key as? any LosslessStringConvertible { return key.description }
  throw SerializationError(.unsupportedKey(type: String(reflecting: Key.self)))
}

private func rawName(of key: some RawRepresentable) throws(SerializationError) -> String {
  try memberName(of: key.rawValue)
}

/// An optional that can also be `null`, for properties that may be absent.
public enum PropertyPolicy<Wrapped>: CustomSerializable {
  /// The member is left out.
  case none
  /// The member is `null`.
  case null
  /// The member has a value.
  case some(Wrapped)

  /// Creates `null` from `nil`, else `some`.
  public init(_ value: Wrapped?) { self = value.map { .some($0) } ?? .null }

  /// The value, if there is one.
  public var value: Wrapped? {
    guard case .some(let value) = self else { return nil }
    return value
  }

  /// The JSON of the value; `nil` for `none`.
  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    serialized(transformingKeys: keyTransformer)
  }
}

extension PropertyPolicy: Sendable where Wrapped: Sendable {}
extension PropertyPolicy: Equatable where Wrapped: Equatable {}
extension PropertyPolicy: Hashable where Wrapped: Hashable {}

extension PropertyPolicy: SelfWriting {
  static var writer: ValueWriter {
    let wrapped = LazyWriter<Wrapped>()
    return ValueWriter(of: Self.self) { policy, run throws(SerializationError) in
      switch policy.pointee {
      case .none: false
      case .null: run.write(literal: "null")
      case .some(let value): try wrapped.write(value: value, &run)
      }
    }
  }
}
