internal import TapedeckHTTP
public import TapedeckMocking

/// The backend of Kakapo's example application: a feed of posts with authors, comments and likes.
///
/// ```swift
/// let backend = try NewsFeedBackend()
/// let router = Router("https://kakapobook.com/api/")
/// backend.addRoutes(to: router)
/// ```
///
/// | request | response |
/// |---|---|
/// | `GET users/:user_id/newsfeed` | all posts, newest first; with `?page=2&size=20` a page of them |
/// | `GET post/:post_id` | a post |
/// | `POST post` with `{"text": …}` | a post of the user who is logged in, 201 |
/// | `DELETE post/:post_id` | `{"success": "deleted"}` |
/// | `POST post/:post_id/comment` with `{"text": …}` | the post |
/// | `GET post/:post_id/comment/:comment_id` | the comment |
/// | `DELETE post/:post_id/comment/:comment_id` | the post |
/// | `POST entity/:type/:id/like` | the post or comment; nobody likes a thing twice |
/// | `DELETE entity/:type/:id/like/:like_id` | the post or comment |
///
/// Where something is missing, the response is 404 and `{"error": …}`.
public struct NewsFeedBackend: Sendable {
  public let store: Store
  private let now: @Sendable () -> String

  /// - Parameters:
  ///   - scenario: `default`, with 200 posts, `small` or `empty`.
  ///   - now: the time, as ISO 8601 in UTC.
  public init(scenario: String = Scenarios.defaultName, now: @escaping @Sendable () -> String = WallClock.now)
    throws
  {
    store = try Store(scenarios: Seeds(now: now()).scenarios, start: scenario)
    self.now = now
  }

  /// The user who is logged in.
  public var me: ToOne<User> { ToOne(store.first(User.self)) }

  public func addRoutes(to router: Router) {
    addPostRoutes(to: router)
    addCommentRoutes(to: router)
    addLikeRoutes(to: router)
  }

  // MARK: Posts

  private func addPostRoutes(to router: Router) {
    router.get("users/:user_id/newsfeed") { request in try feed(request) }
    router.get("post/:post_id") { request in try document(of: post(request)) }
    router.post("post") { request in
      let text = try text(of: request)
      let post = try store.insert { id in
        var post = Post(id: id, store: store)
        (post.text, post.date, post.author) = (text, now(), me)
        return post
      }
      return Response(
        statusCode: 201, body: try document(of: post), headerFields: ["Location": "post/\(post.id)"])
    }
    router.del("post/:post_id") { request in
      let post = try post(request)
      try finding { try store.delete(post) }
      return FeedResponse.success("deleted")
    }
  }

  private func feed(_ request: Request) throws -> Response {
    let posts = store.findAll(Post.self).reversed().sorted { $0.date > $1.date }
    guard let size = try number("size", of: request) ?? number("page", of: request).map({ _ in 20 }) else {
      return Response(statusCode: 200, body: try store.embedding(posts, Post.embedded))
    }
    let page = Page(of: posts, number: try number("page", of: request) ?? 1, size: size)
    var response = Response(statusCode: 200, body: try store.embedding(page.items, Post.embedded))
    response.headers["X-Total-Count"] = "\(page.total)"
    response.headers["Link"] = links(of: page, request.path)
    return response
  }

  /// The `Link` field of a page (RFC 8288): the first, the last and the neighbours. Nil for the only page.
  private func links(of page: Page<Post>, _ path: String) -> String? {
    var links: [(relation: String, number: Int)] = []
    if page.hasPrevious { links += [("first", 1), ("prev", page.number - 1)] }
    if page.hasNext { links += [("next", page.number + 1), ("last", page.pageCount)] }
    if links.isEmpty { return nil }
    return links.map { "<\(path)?page=\($0.number)&size=\(page.size)>; rel=\"\($0.relation)\"" }
      .joined(separator: ", ")
  }

  private func number(_ name: String, of request: Request) throws -> Int? {
    guard let text = request.query(name) else { return nil }
    guard let number = Int(text), (1...1000).contains(number) else {
      throw FeedResponse.failure("\(name) is a number from 1 to 1000", statusCode: 400)
    }
    return number
  }

  // MARK: Comments

  private func addCommentRoutes(to router: Router) {
    router.post("post/:post_id/comment") { request in
      let (post, text) = (try post(request), try text(of: request))
      try finding {
        try store.insert { id in
          var comment = Comment(id: id, store: store)
          (comment.text, comment.date, comment.author, comment.post) = (text, now(), me, ToOne(post))
          return comment
        }
      }
      return try document(of: self.post(request))
    }
    router.get("post/:post_id/comment/:comment_id") { request in try document(of: comment(request)) }
    router.del("post/:post_id/comment/:comment_id") { request in
      let comment = try comment(request)
      try finding { try store.delete(comment) }
      return try document(of: post(request))
    }
  }

  // MARK: Likes

  private func addLikeRoutes(to router: Router) {
    router.post("entity/:type/:id/like") { request in
      switch request.components["type"] {
      case "post": try like(Post.self, request) { .to($0) }
      case "comment": try like(Comment.self, request) { .to($0) }
      default: throw FeedResponse.failure("Invalid type", statusCode: 403)
      }
    }
    router.del("entity/:type/:id/like/:like_id") { request in
      switch request.components["type"] {
      case "post": try unlike(Post.self, request)
      case "comment": try unlike(Comment.self, request)
      default: throw FeedResponse.failure("Invalid type", statusCode: 403)
      }
    }
  }

  private func like<T: Likeable>(
    _ type: T.Type, _ request: Request, _ subject: (T) -> ToOneOf<Post, Comment>
  ) throws -> Embedded {
    let entity = try entity(type, request.components["id"])
    let (me, subject) = (me, subject(entity))
    try finding {
      _ = try store.findOrCreate(Like.self) {
        $0.author == me && $0.subject == subject
      } make: { id in
        var like = Like(id: id, store: store)
        (like.author, like.subject) = (me, subject)
        return like
      }
    }
    return try document(of: self.entity(type, entity.id))
  }

  private func unlike<T: Likeable>(_ type: T.Type, _ request: Request) throws -> Embedded {
    let entity = try entity(type, request.components["id"])
    let like = try self.entity(Like.self, request.components["like_id"])
    guard entity.likes.contains(like) else { throw FeedResponse.missing("like") }
    guard like.author == me else {
      throw FeedResponse.failure("that is somebody else's like", statusCode: 403)
    }
    try finding { try store.delete(like) }
    return try document(of: self.entity(type, entity.id))
  }

  // MARK: Requests

  private func post(_ request: Request) throws(FeedResponse) -> Post {
    try entity(Post.self, request.components["post_id"])
  }

  private func comment(_ request: Request) throws(FeedResponse) -> Comment {
    let (post, comment) = (try post(request), try entity(Comment.self, request.components["comment_id"]))
    guard post.comments.contains(comment) else { throw .missing("comment") }
    return comment
  }

  private func entity<T: Storable>(_ type: T.Type, _ id: String?) throws(FeedResponse) -> T {
    guard let found = id.flatMap({ store.find(type, id: $0) }) else { throw .missing("\(type)".lowercased()) }
    return found
  }

  /// Throws 404 for a change of something that another request has just deleted.
  @discardableResult
  private func finding<Result>(_ change: () throws -> Result) throws -> Result {
    do { return try change() } catch let error as StoreError {
      throw FeedResponse.failure("\(error)", statusCode: 404)
    }
  }

  private func text(of request: Request) throws(FeedResponse) -> String {
    guard let text = (try? request.json())?["text"]?.text, !text.isEmpty else {
      throw .failure("the body has to be like {\"text\": \"…\"}", statusCode: 422)
    }
    return text
  }

  private func document<T: Likeable>(of entity: T) throws -> Embedded {
    try store.embedding(entity, T.embedded)
  }
}

/// `{"success": …}`, or `{"error": …}` with a status, which handlers throw.
struct FeedResponse: ResponseFieldsProvider, Error {
  let statusCode: Int
  private let text: [String: String]

  var body: any Serializable { text }
  var headerFields: [String: String]? { nil }

  static func success(_ text: String) -> FeedResponse {
    FeedResponse(statusCode: 200, text: ["success": text])
  }

  static func failure(_ text: String, statusCode: Int) -> FeedResponse {
    FeedResponse(statusCode: statusCode, text: ["error": text])
  }

  static func missing(_ name: String) -> FeedResponse { failure("there is no such \(name)", statusCode: 404) }
}
