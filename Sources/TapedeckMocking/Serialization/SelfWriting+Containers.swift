extension Optional: Serializable, SelfWriting {
  static var writer: any ValueWriter { OptionalWriter<Wrapped>() }
}

private struct OptionalWriter<Wrapped>: ValueWriter {
  private let wrapped = LazyWriter<Wrapped>()

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    guard let value = pointer.assumingMemoryBound(to: Wrapped?.self).pointee else { return false }
    return try wrapped.write(value: value, &run)
  }
}

extension Array: Serializable, SelfWriting {
  static var writer: any ValueWriter { ArrayWriter<Element>() }
}

private struct ArrayWriter<Element>: ValueWriter {
  private let element = LazyWriter<Element>()

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    let array = pointer.assumingMemoryBound(to: [Element].self).pointee
    try array.withElements { elements throws(SerializationError) in
      try run.nested { run throws(SerializationError) in
        run.out.append(UInt8(ascii: "["))
        if let start = elements.baseAddress {
          for index in elements.indices {
            try run.element(index) { run throws(SerializationError) in
              try element.write(UnsafeRawPointer(start + index), &run)
            }
          }
        }
        run.out.append(UInt8(ascii: "]"))
      }
    }
    return true
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
  static var writer: any ValueWriter { SetWriter<Element>() }
}

/// In the order of the elements' JSON, so that equal sets are written alike.
private struct SetWriter<Element: Hashable>: TypedWriter {
  private let element = LazyWriter<Element>()

  func write(value: borrowing Set<Element>, _ run: inout SerializationRun) throws(SerializationError) -> Bool
  {
    var written: [[UInt8]] = []
    for item in copy value {
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
  static var writer: any ValueWriter { DictionaryWriter<Key, Value>() }
}

/// In the order of the names.
private struct DictionaryWriter<Key: Hashable, Element>: TypedWriter {
  private let element = LazyWriter<Element>()

  func write(
    value: borrowing [Key: Element], _ run: inout SerializationRun
  ) throws(SerializationError) -> Bool {
    var entries: [(name: String, value: Element)] = []
    entries.reserveCapacity(value.count)
    for (key, element) in copy value {
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
