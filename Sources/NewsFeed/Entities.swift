public import TapedeckMocking

public struct User: Related, Serializable {
  public let id: String
  public var firstName = ""
  public var lastName = ""

  public init(id: String, store: Store) { self.id = id }
}

public struct Post: Related, Serializable {
  public let id: String
  public var text = ""
  public var date = ""
  public var author = ToOne<User>()
  public var comments = ToMany<Comment>()
  public var likes = ToMany<Like>()

  public static let relations: [RelationRule<Post>] = [.cascade(\.comments), .cascade(\.likes)]

  public init(id: String, store: Store) { self.id = id }
}

public struct Comment: Related, Serializable {
  public let id: String
  public var text = ""
  public var date = ""
  public var author = ToOne<User>()
  public var post = ToOne<Post>()
  public var likes = ToMany<Like>()

  public static let relations: [RelationRule<Comment>] = [.cascade(\.likes)]

  public init(id: String, store: Store) { self.id = id }
}

public struct Like: Related, Serializable {
  public let id: String
  public var author = ToOne<User>()
  public var subject = ToOneOf<Post, Comment>()

  public init(id: String, store: Store) { self.id = id }
}

/// A post or a comment.
protocol Likeable: Related, Serializable {
  var likes: ToMany<Like> { get set }
  /// The relations whose entities responses contain in place of ids.
  static var embedded: [String] { get }
}

extension Post: Likeable {
  static var embedded: [String] { ["author", "comments.author", "comments.likes.author", "likes.author"] }
}

extension Comment: Likeable {
  static var embedded: [String] { ["author", "likes.author"] }
}
