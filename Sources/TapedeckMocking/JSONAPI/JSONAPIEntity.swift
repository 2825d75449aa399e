/// A type whose values are resources of JSON:API: objects with `type`, `id`, `attributes` and `relationships`.
///
/// Conforming is all it takes. Properties that are entities, or optionals, arrays or policies of entities, are
/// relationships; all others but `id` are attributes. Writing a property called `type`, or `links` on a type that is no
/// `JSONAPILinkedEntity`, is an error, because JSON:API has no place for it.
///
/// A handler that returns an entity returns a bare resource object; `JSONAPISerializer` makes a document of it.
/// Source: Kakapo; JSON:API 1.1 §5.2.
public protocol JSONAPIEntity: CustomSerializable, JSONAPISerializable {
  /// The resource type. By default the type's own name in small letters: `DogSitter` is `dogsitter`, `Box<Int>` is
  /// `box-int`. Key transformers do not touch it.
  static var type: String { get }

  /// The id of the resource.
  var id: String { get }
}

extension JSONAPIEntity {
  public static var type: String { MemberName.standard(of: Self.self) }

  public static var isToMany: Bool { false }

  public var related: JSONAPIRelated? { .one(self) }

  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    BareResource(node: ResourceNode(self), keys: keyTransformer.map { KeyMapping($0) })
  }
}

/// A resource object outside of a document.
private struct BareResource: Writable {
  let node: ResourceNode
  let keys: KeyMapping?

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let outer = run.keys
    run.keys = keys
    defer { run.keys = outer }
    return try node.content(&run).object(node.identifier, fields: nil).write(to: &run)
  }
}
