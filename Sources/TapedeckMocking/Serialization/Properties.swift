/// A stored property of a value.
struct Property {
  /// As declared.
  var name: String
  var value: Any
  /// The type it is declared with.
  var type: any Any.Type { Swift.type(of: value) }
}

/// The stored properties of values.
enum Properties {
  /// Of a struct or class, inherited ones first, in the order they are declared.
  static func of(_ value: Any) -> [Property] { of(Mirror(reflecting: value)) }

  static func of(_ mirror: Mirror) -> [Property] {
    let inherited = mirror.superclassMirror.map { of($0) } ?? []
    return inherited
      + mirror.children.compactMap { label, value in
        label.map { property(label: $0, value: value) }
      }
  }

  private static func property(label: String, value: Any) -> Property {
    guard label.hasPrefix("_"), let wrapped = wrappedValue(of: value) else {
      return Property(name: PropertyName.declared(label: label, isWrapper: false), value: value)
    }
    return Property(name: PropertyName.declared(label: label, isWrapper: true), value: wrapped)
  }

  private static func wrappedValue(of value: Any) -> Any? {
    if let wrapper = value as? any SerializableWrapper { return wrapper.wrappedValue }
    return Mirror(reflecting: value).children.first { $0.label == "wrappedValue" }?.value
  }
}
