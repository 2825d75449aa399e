internal import TapedeckMocking

/// The states that the backend may start with. The first user of all is the one who is logged in.
struct Seeds {
  /// A moment before which everything has been written.
  let now: String

  var scenarios: Scenarios {
    [
      Scenarios.defaultName: { store in try seed(store, users: 40, posts: 200, likes: 14, comments: 4) },
      "small": { store in try seed(store, users: 3, posts: 2, likes: 2, comments: 1) },
      "empty": { store in try seed(store, users: 1, posts: 0, likes: 0, comments: 0) },
    ]
  }

  /// - Parameters:
  ///   - likes: at most, of a post.
  ///   - comments: at most, on a post.
  private func seed(_ store: Store, users count: Int, posts: Int, likes: Int, comments: Int) throws {
    try Self.users.createList(count, in: store)
    let users = store.findAll(User.self)
    try self.posts(by: users).createList(posts, in: store)
    var fake = Fake(seed: UInt64(count))
    for post in store.findAll(Post.self) {
      try like(.to(post), fans: fake.int(0...likes), of: users, &fake)
      for _ in 0..<fake.int(0...comments) {
        let comment = try self.comments(on: post, by: users).create(in: store)
        try like(.to(comment), fans: fake.int(0...min(4, likes)), of: users, &fake)
      }
    }

    func like(_ subject: ToOneOf<Post, Comment>, fans: Int, of users: [User], _ fake: inout Fake) throws {
      for fan in users.shuffled(using: &fake).prefix(fans) {
        try Self.likes.create(in: store) {
          $0.set(\.author, ToOne(fan))
          $0.set(\.subject, subject)
        }
      }
    }
  }

  private static let users = Factory(User.self) { user in
    user.set(\.firstName) { $0.fake.firstName() }
    user.set(\.lastName) { $0.fake.lastName() }
  }

  private static let likes = Factory(Like.self)

  private func posts(by users: [User]) -> Factory<Post> {
    Factory(Post.self) { post in
      post.set(\.author) { ToOne($0.fake.element(of: users)) }
      post.set(\.text) { $0.fake.sentences($0.fake.int(1...6)) }
      post.set(\.date) { $0.fake.date(within: 10, before: now) }
    }
  }

  private func comments(on post: Post, by users: [User]) -> Factory<Comment> {
    Factory(Comment.self) { comment in
      comment.set(\.author) { ToOne($0.fake.element(of: users)) }
      comment.set(\.post, ToOne(post))
      comment.set(\.text) { $0.fake.sentences($0.fake.int(1...2)) }
      comment.set(\.date) { $0.fake.date(within: 0.1, before: now) }
    }
  }
}
