import Foundation
import NewsFeed
import Tapedeck
import TestSupport
import Testing

/// Each line at each door, which is line 298: a proxy, a local server, `URLSession.shared` and a session of one's own.
@Suite struct `Q. NewsFeed` {
  @Test(arguments: Door.allCases)
  func `K293 K298 the feed has all posts, newest first, and a new one at its head`(door: Door) async throws {
    let feed = try Feed(door, scenario: "default")
    let before = try await feed.ask("users/0/newsfeed")
    #expect((before.status, before.ids.count) == (200, 200))
    let dates = before.json.array?.compactMap { $0["date"]?.text } ?? []
    #expect(dates == dates.sorted(by: >))
    let made = try await feed.ask("post", "POST", ["text": "Hello"])
    #expect((made.status, made.json["text"]) == (201, "Hello"))
    #expect(made.json["author"]?["id"]?.text == feed.backend.me.id)
    #expect(made.fields["location"] == "post/\(made.json["id"]?.text ?? "")")
    let after = try await feed.ask("users/0/newsfeed")
    #expect(after.ids == [made.json["id"]?.text ?? ""] + before.ids)
    #expect(try await feed.ask("post/\(after.ids[0])").json == made.json)
  }

  @Test(arguments: Door.allCases)
  func `K293 K298 the feed has pages`(door: Door) async throws {
    let feed = try Feed(door, scenario: "default")
    let all = try await feed.ask("users/0/newsfeed").ids
    let page = try await feed.ask("users/0/newsfeed?page=2&size=30")
    #expect(page.ids == Array(all[30..<60]))
    #expect(page.fields["x-total-count"] == "200")
    #expect(page.fields["link"]?.contains(#"</api/users/0/newsfeed?page=3&size=30>; rel="next""#) == true)
    #expect(try await feed.ask("users/0/newsfeed?page=10").ids == Array(all[180..<200]))
    #expect(try await feed.ask("users/0/newsfeed?page=99").ids == [])
    #expect(try await feed.ask("users/0/newsfeed?page=0").status == 400)
    #expect(try await feed.ask("users/0/newsfeed?size=many").status == 400)
  }

  @Test(arguments: Door.allCases)
  func `K294 K298 likes of a post are in the answer and in the feed, and gone again`(door: Door) async throws
  {
    let feed = try Feed(door)
    let post = try await feed.ask("post", "POST", ["text": "Hello"])
    let id = try #require(post.json["id"]?.text)
    let liked = try await feed.ask("entity/post/\(id)/like", "POST")
    #expect(liked.json["likes"]?.array?.map { $0["author"]?["id"]?.text } == [feed.backend.me.id])
    #expect(try await feed.ask("users/0/newsfeed").json[0] == liked.json)
    #expect(try await feed.ask("entity/post/\(id)/like", "POST").json == liked.json)
    let like = try #require(liked.json["likes"]?[0]?["id"]?.text)
    #expect(try await feed.ask("entity/post/\(id)/like/\(like)", "DELETE").json == post.json)
    #expect(try await feed.ask("users/0/newsfeed").json[0] == post.json)
  }

  @Test(arguments: Door.allCases)
  func `K294 K298 likes of a comment are in its post and in the feed`(door: Door) async throws {
    let feed = try Feed(door)
    let post = try #require(try await feed.ask("post", "POST", ["text": "Hello"]).json["id"]?.text)
    let commented = try await feed.ask("post/\(post)/comment", "POST", ["text": "Hi"])
    let comment = try #require(commented.json["comments"]?[0]?["id"]?.text)
    let liked = try await feed.ask("entity/comment/\(comment)/like", "POST")
    #expect(liked.json["likes"]?.array?.count == 1)
    #expect(try await feed.ask("post/\(post)").json["comments"]?[0]?["likes"] == liked.json["likes"])
    #expect(try await feed.ask("users/0/newsfeed").json[0]?["comments"]?[0]?["likes"] == liked.json["likes"])
  }

  @Test(arguments: Door.allCases)
  func `K295 K298 what is wrong is said, and nothing crashes`(door: Door) async throws {
    let feed = try Feed(door, scenario: "default")
    let somebodyElses = try #require(feed.backend.store.first(Like.self) { $0.author != feed.backend.me })
    let subject = try #require(somebodyElses.subject.id)
    let kind = somebodyElses.subject.type == Post.self ? "post" : "comment"
    let rows: [(path: String, method: String, body: JSONValue?, status: Int)] = [
      ("entity/user/1/like", "POST", nil, 403), ("entity/user/1/like/1", "DELETE", nil, 403),
      ("post/none", "DELETE", nil, 404), ("post/none", "GET", nil, 404),
      ("post", "POST", nil, 422), ("post", "POST", ["text": 1], 422), ("post", "POST", ["text": ""], 422),
      ("post/none/comment", "POST", ["text": "x"], 404), ("post/40/comment/none", "GET", nil, 404),
      ("post/40/comment/none", "DELETE", nil, 404), ("entity/post/none/like", "POST", nil, 404),
      ("entity/post/40/like/none", "DELETE", nil, 404),
      ("entity/\(kind)/\(subject)/like/\(somebodyElses.id)", "DELETE", nil, 403),
    ]
    for row in rows {
      let heard = try await feed.ask(row.path, row.method, row.body)
      #expect(heard.status == row.status, "\(row.method) \(row.path)")
      #expect(heard.json["error"]?.text?.isEmpty == false, "\(row.method) \(row.path)")
    }
    #expect(try await feed.ask("entity/user/1/like", "POST").json == ["error": "Invalid type"])
    #expect(try await feed.ask("users/0/newsfeed").ids.count == 200)
  }

  @Test(arguments: Door.allCases)
  func `K296 K298 comments are added, read and removed through their post`(door: Door) async throws {
    let feed = try Feed(door)
    let posts = try await feed.ask("users/0/newsfeed").ids
    let before = try await feed.ask("post/\(posts[0])")
    let commented = try await feed.ask("post/\(posts[0])/comment", "POST", ["text": "Hi"])
    let comment = try #require(commented.json["comments"]?.array?.last)
    let id = try #require(comment["id"]?.text)
    #expect(comment["text"] == "Hi")
    #expect(try await feed.ask("post/\(posts[0])/comment/\(id)").json == comment)
    #expect(try await feed.ask("post/\(posts[1])/comment/\(id)").status == 404)
    let removed = try await feed.ask("post/\(posts[0])/comment/\(id)", "DELETE")
    #expect(removed.json == before.json)
    #expect(try await feed.ask("post/\(posts[0])/comment/\(id)").status == 404)
  }

  @Test(arguments: Door.allCases)
  func `K296 K298 a post takes its comments and likes with it`(door: Door) async throws {
    let feed = try Feed(door, scenario: "default")
    let store = feed.backend.store
    for post in store.findAll(Post.self) {
      #expect(try await feed.ask("post/\(post.id)", "DELETE").json == ["success": "deleted"])
    }
    #expect((store.count(Comment.self), store.count(Like.self)) == (0, 0))
    #expect(try await feed.ask("users/0/newsfeed").json == [])
  }

  @Test func `K297 two hundred posts with all that belongs to them are there at once`() throws {
    var backends: [NewsFeedBackend] = []
    let time = try threadTime {
      backends.append(try NewsFeedBackend(now: { "2026-01-31T12:00:00Z" }))
    }
    let store = backends[0].store
    #expect(store.count(Post.self) == 200)
    #expect(store.count(Like.self) > 500)
    #expect(store.findAll(Post.self).allSatisfy { (0...14).contains($0.likes.count) })
    #expect(store.findAll(Comment.self).allSatisfy { !$0.author.isEmpty && !$0.post.isEmpty })
    #expect(time < .seconds(2), "took \(time) of the processor, and a debug build needs a tenth of a second")
  }

  @Test func `K297 the same posts in every run`() throws {
    let (one, other) = (
      try NewsFeedBackend(now: { "2026-01-31T12:00:00Z" }),
      try NewsFeedBackend(now: { "2026-01-31T12:00:00Z" })
    )
    #expect(try one.store.dump() == other.store.dump())
  }

  @Test(arguments: Door.allCases)
  func `K294 K298 many at once leave no stale copies`(door: Door) async throws {
    let feed = try Feed(door, scenario: "empty")
    let post = try #require(try await feed.ask("post", "POST", ["text": "Hello"]).json["id"]?.text)
    let backend = feed.backend
    let router = Router("https://kakapobook.com/api/")
    backend.addRoutes(to: router)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          let base = "https://kakapobook.com/api/"
          let comment = Request(
            "\(base)post/\(post)/comment", method: .post, body: Array(#"{"text":"\#(number)"}"#.utf8))
          _ = try await router.respond(to: comment)
          _ = try await router.respond(to: Request("\(base)entity/post/\(post)/like", method: .post))
        }
      }
      try await group.waitForAll()
    }
    let heard = try await feed.ask("post/\(post)")
    #expect(Set(heard.json["comments"]?.array?.compactMap { $0["text"]?.text } ?? []).count == 40)
    #expect(heard.json["likes"]?.array?.count == 1)
  }
}
