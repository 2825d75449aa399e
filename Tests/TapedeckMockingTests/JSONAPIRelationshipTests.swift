import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

private typealias User = APIUser
private typealias Cat = APICat
private typealias Dog = APIDog

private struct Owner<Pets: Sendable>: JSONAPIEntity {
  static var type: String { "owner" }
  let id: String
  var pets: Pets
}

private func owner<Pets: Sendable>(_ pets: Pets) throws -> JSONValue? {
  try document(JSONAPISerializer(Owner(id: "1", pets: pets)))["data"]
}

private func included<Pets: Sendable>(_ pets: Pets, children: Bool = false) throws -> [String]? {
  try document(JSONAPISerializer(Owner(id: "1", pets: pets), includingChildren: children))["included"]?
    .identities
}

/// Refers to its friends, and they to it.
private final class Friend: JSONAPIEntity, @unchecked Sendable {
  let id: String
  var friends: [Friend] = []
  var best: Friend?
  init(_ id: String) { self.id = id }

  /// Lets go of one another, so that none is left over.
  static func part(_ friends: [Friend]) {
    for friend in friends { (friend.friends, friend.best) = ([], nil) }
  }
}

@Suite struct `J. JSON:API relationships` {
  @Test func `K183 an empty to-many is a relationship with no data in it`() throws {
    let data = try document(JSONAPISerializer(User(id: "1", cats: [])))["data"]
    #expect(data?["attributes"]?.names == ["userName"])
    #expect(data?["relationships"]?["cats"] == ["data": []])
  }

  @Test func `K185 identifiers, those of many in order`() throws {
    let relationships = try document(JSONAPISerializer(User(id: "1")))["data"]?["relationships"]
    #expect(relationships?["doggyDog"] == ["data": ["type": "dog", "id": "22"]])
    #expect(relationships?["cats"]?["data"]?.identities == ["cat/33", "cat/44"])
  }

  @Test func `K186 identifiers have neither attributes nor relationships`() throws {
    let data = try document(JSONAPISerializer(Owner(id: "1", pets: [User(id: "2")])))["data"]
    #expect(data?["relationships"]?["pets"]?["data"] == [["type": "user", "id": "2"]])
  }

  @Test func `K187 nothing is in neither place`() throws {
    #expect(try owner(Cat?.none) == ["type": "owner", "id": "1"])
  }

  @Test func `K188 optional entities are relationships`() throws {
    #expect(try owner(Optional(Cat(id: "2")))?["relationships"]?["pets"]?["data"]?.identities == ["cat/2"])
    #expect(
      try owner(Optional([Cat(id: "2")]))?["relationships"]?["pets"]?["data"] == [["type": "cat", "id": "2"]])
    #expect(
      try owner([Cat?.none, Cat(id: "3")])?["relationships"]?["pets"]?["data"]?.identities == ["cat/3"])
  }

  @Test func `K190 policies of entities are relationships`() throws {
    #expect(
      try owner(PropertyPolicy.some(Cat(id: "2")))?["relationships"]?["pets"]?["data"]?.identities
        == ["cat/2"])
    #expect(
      try owner(PropertyPolicy.some([Cat(id: "2")]))?["relationships"]?["pets"]?["data"]?.array?.count == 1)
    #expect(try owner(PropertyPolicy<Cat>.none)?["relationships"] == nil)
  }

  @Test func `K191 null of an entity is no data, of entities none`() throws {
    #expect(try owner(PropertyPolicy<Cat>.null)?["relationships"] == ["pets": ["data": nil]])
    #expect(try owner(PropertyPolicy<[Cat]>.null)?["relationships"] == ["pets": ["data": []]])
  }

  @Test func `entities in dictionaries and under Any are attributes`() throws {
    #expect(
      try owner(["a": Cat(id: "2")])?["attributes"]?["pets"]?["a"]?.identities == ["cat/2"])
    #expect(try owner([Cat(id: "2")] as [any Sendable])?["attributes"]?["pets"]?[0]?.identities == ["cat/2"])
  }

  @Test func `K192 nothing is included where there are no relationships`() throws {
    #expect(try document(JSONAPISerializer(Cat(id: "1")))["included"] == nil)
    #expect(try document(JSONAPISerializer([Cat(id: "1"), Cat(id: "2")]))["included"] == nil)
  }

  @Test func `K193 the targets of all primaries are included, nested ones when asked for`() throws {
    let users = [User(id: "1"), User(id: "2", cats: [Cat(id: "55")])]
    #expect(
      try document(JSONAPISerializer(users))["included"]?.identities
        == ["dog/22", "cat/33", "cat/44", "cat/55"])
    #expect(try included(User(id: "2")) == ["user/2"])
    #expect(try included(User(id: "2"), children: true) == ["user/2", "dog/22", "cat/33", "cat/44"])
  }

  @Test func `K194 included resources carry their attributes without relationships`() throws {
    let user = try document(JSONAPISerializer(Owner(id: "1", pets: User(id: "2"))))["included"]?[0]
    #expect(user?["attributes"] == ["userName": "Alex"])
    #expect(user?["id"] == "2")
    #expect(user?["type"] == "user")
  }

  @Test func `K195 a resource that is met twice is included once`() throws {
    #expect(try included([User(id: "2"), User(id: "2")]) == ["user/2"])
    #expect(try included([Cat(id: "1"), Cat(id: "2"), Cat(id: "1")]) == ["cat/1", "cat/2"])
  }

  @Test func `K196 policies in included`() throws {
    #expect(try included(PropertyPolicy<Cat>.none) == nil)
    #expect(try included(PropertyPolicy<Cat>.null) == nil)
    #expect(try included(PropertyPolicy<Int>.some(1)) == nil)
    #expect(
      try included(PropertyPolicy.some(User(id: "2")), children: true)
        == ["user/2", "dog/22", "cat/33", "cat/44"])
  }

  @Test func `K197 everything included is linked from primary data`() throws {
    for children in [false, true] {
      let json = try document(
        JSONAPISerializer(
          Owner(id: "1", pets: [Owner(id: "2", pets: User(id: "3"))]), includingChildren: children))
      var reached: Set<String> = []
      var next = [json["data"]].compactMap { $0 }
      let byIdentity = Dictionary(
        uniqueKeysWithValues: (json["included"]?.array ?? []).map { ($0.identities[0], $0) })
      while let resource = next.popLast() {
        for relationship in resource["relationships"]?.members ?? [] {
          for identity in relationship.value["data"]?.identities ?? [] {
            if let found = byIdentity[identity], reached.insert(identity).inserted { next.append(found) }
          }
        }
      }
      #expect(reached == Set(byIdentity.keys))
      #expect(byIdentity.count == (children ? 5 : 1))
    }
  }

  @Test func `K198 no resource is in both places, and the order is that of the document`() throws {
    let a = Friend("a")
    let b = Friend("b")
    a.friends = [b, a]
    b.friends = [a]
    defer { Friend.part([a, b]) }
    let json = try document(JSONAPISerializer([a, b]))
    #expect(json["data"]?.identities == ["friend/a", "friend/b"])
    #expect(json["included"] == nil)
    let one = try document(JSONAPISerializer(a, includingChildren: true))
    #expect(one["included"]?.identities == ["friend/b"])
    let bytes = try JSONAPISerializer(a, includingChildren: true).jsonBytes()
    for _ in 0..<5 { #expect(try JSONAPISerializer(a, includingChildren: true).jsonBytes() == bytes) }
  }

  @Test func `K199 cycles end`() throws {
    let ring = (0..<1000).map { Friend("\($0)") }
    for (index, friend) in ring.enumerated() {
      friend.best = ring[(index + 1) % ring.count]
      if index < 10 { friend.friends = ring }
    }
    defer { Friend.part(ring) }
    let json = try document(JSONAPISerializer(ring[0], includingChildren: true))
    #expect(json["included"]?.array?.count == 999)
    #expect(ring[0].serialized()?["relationships"]?["best"]?["data"]?.identities == ["friend/1"])
  }

  @Test func `included along paths, with what is on the way`() throws {
    let nested = Owner(id: "1", pets: Owner(id: "2", pets: User(id: "3")))
    func included(_ paths: [String]) throws -> [String]? {
      try document(JSONAPIDocument(.resource(nested), inclusion: .paths(paths)))["included"]?.identities
    }
    #expect(try included(["pets.pets.cats"]) == ["owner/2", "user/3", "cat/33", "cat/44"])
    #expect(try included(["pets"]) == ["owner/2"])
    #expect(try included([]) == [])
  }
}
