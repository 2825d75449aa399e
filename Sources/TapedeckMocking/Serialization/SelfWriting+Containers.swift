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
        try run.nested { run throws(SerializationError) in
          run.out.append(UInt8(ascii: "["))
          for index in elements.indices {
            try run.element(index) { run throws(SerializationError) in
              guard let start = elements.baseAddress else { return false }
              return try element.write(UnsafeRawPointer(start + index), &run)
            }
          }
          run.out.append(UInt8(ascii: "]"))
        }
      }
      return true
    }
  }
}

extension Array {
  /// `withUnsafeBufferPointer` that keeps the type of what `body` throws.
  fileprivate func withElements<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { buffer throws(Failure) in try body(buffer) }
  }
}

extension Set: Serializable, SelfWriting {
  static var writer: ValueWriter { ValueWriter(SetWriter<Element>().write) }
}

/// In the order of the elements' JSON, so that equal sets are written alike.
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

/// In the order of the names.
private struct DictionaryWriter<Key: Hashable, Element>: Sendable {
  private let element = LazyWriter<Element>()

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    let dictionary = pointer.assumingMemoryBound(to: [Key: Element].self).pointee
    var entries: [(name: String, value: Element)] = []
    entries.reserveCapacity(dictionary.count)
    for (key, element) in dictionary {
      let name = try DictionaryKey.name(of: key)
      entries.append((run.keys?.transform(name) ?? name, element))
    }
    entries.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    try run.nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "{"))
      for index in entries.indices where index == 0 || entries[index - 1].name != entries[index].name {
        let entry = entries[index]
        try run.member(SerializationRun.memberName(entry.name), step: entry.name) {
          run throws(SerializationError) in try element.write(value: entry.value, &run)
        }
      }
      run.out.append(UInt8(ascii: "}"))
    }
    return true
  }
}

/// The member name of a dictionary's key: a string itself, a number in digits, others by their raw value or coding key.
enum DictionaryKey {
  static func name<Key>(of key: Key) throws(SerializationError) -> String {
    if let text = key as? String { return text }
    if let key = key as? AnyHashable, Key.self == AnyHashable.self { return try opened(key.base) }
    if let key = key as? any CodingKeyRepresentable { return key.codingKey.stringValue }
    if let key = key as? any RawRepresentable { return try raw(key) }
    if let key = key as? any LosslessStringConvertible { return key.description }
    throw SerializationError(.unsupportedKey(type: String(reflecting: Key.self)))
  }

  private static func raw(_ key: some RawRepresentable) throws(SerializationError) -> String {
    try name(of: key.rawValue)
  }

  private static func opened(_ key: Any) throws(SerializationError) -> String {
    func name<Key>(_ key: Key) -> Result<String, SerializationError> {
      do throws(SerializationError) { return .success(try Self.name(of: key)) } catch {
        return .failure(error)
      }
    }
    return try _openExistential(key, do: name).get()
  }
}
