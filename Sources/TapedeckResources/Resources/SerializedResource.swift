public import TapedeckMocking

/// A stored type that says itself how it looks on the wire: what `router.rest` serves it as, whatever the look of the
/// others.
///
/// ```swift
/// extension Article: SerializedResource {
///   static let serializer: any ResourceSerializer = RESTSerializer(attributes: ["title"], include: ["author"])
/// }
/// ```
public protocol SerializedResource: Storable {
  static var serializer: any ResourceSerializer { get }
}
