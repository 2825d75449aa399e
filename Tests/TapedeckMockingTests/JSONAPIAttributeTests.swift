import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

struct APIDog: JSONAPIEntity {
  static let type = "dog"
  let id: String
  var dogName = "Rex"
}

struct APICat: JSONAPIEntity {
  static let type = "cat"
  let id: String
  var catName = "Hez"
}

struct APIUser: JSONAPIEntity {
  static let type = "user"
  let id: String
  var userName = "Alex"
  var doggyDog = APIDog(id: "22")
  var cats = [APICat(id: "33"), APICat(id: "44")]
}

private struct Alone: JSONAPIEntity {
  let id: String
  var name = "x"
}

@Suite struct `J. JSON:API resources` {
  @Test func `K177 data is there for one and for many`() throws {
    #expect(try document(JSONAPISerializer(APIUser(id: "1")))["data"]?.identities == ["user/1"])
    #expect(try document(JSONAPISerializer([APIUser(id: "1")]))["data"]?.array?.count == 1)
  }

  @Test func `K178 meta at the top, with what is in it serialised`() throws {
    let meta = ["total": 2]
    #expect(try document(JSONAPISerializer(Alone(id: "1"), topLevelMeta: meta))["meta"] == ["total": 2])
    let entity = ["user": Alone(id: "7")]
    #expect(
      try document(JSONAPISerializer([Alone(id: "1")], topLevelMeta: entity))["meta"]
        == ["user": ["type": "alone", "id": "7", "attributes": ["name": "x"]]])
    #expect(try document(JSONAPISerializer(Alone(id: "1")))["meta"] == nil)
  }

  @Test func `K179 attributes are the properties without the id`() throws {
    let data = try document(JSONAPISerializer(APIUser(id: "11")))["data"]
    #expect(data?["id"] == "11")
    #expect(data?["type"] == "user")
    #expect(data?["attributes"] == ["userName": "Alex"])
  }

  @Test func `K180 the type is the type's name in small letters, or what it says`() throws {
    struct DogSitter: JSONAPIEntity { let id: String }
    #expect(DogSitter.type == "dogsitter")
    #expect(DogSitter(id: "1").serialized() == ["type": "dogsitter", "id": "1"])
    #expect(APIDog(id: "1").serialized()?["type"] == "dog")
  }

  @Test func `K181 arrays of other things are attributes, empty ones as well`() throws {
    struct Post: JSONAPIEntity {
      let id: String
      var numbers = [1, 2]
      var none: [Int] = []
    }
    #expect(
      try document(JSONAPISerializer(Post(id: "1")))["data"]?["attributes"] == [
        "numbers": [1, 2], "none": [],
      ]
    )
  }

  @Test func `K182 an array of entities is an array of resources`() {
    #expect([APICat(id: "1"), APICat(id: "2")].serialized()?.identities == ["cat/1", "cat/2"])
  }

  @Test func `K184 what an entity says itself counts where it is alone`() throws {
    struct Own: JSONAPIEntity, CustomSerializable {
      let id: String
      func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? { ["own": 1] }
    }
    #expect(Own(id: "1").serialized() == ["own": 1])
    #expect(try document(JSONAPISerializer(Own(id: "1")))["data"] == ["type": "own", "id": "1"])
  }

  @Test func `K189 policies of other things are attributes`() throws {
    struct Entity: JSONAPIEntity {
      let id: String
      var policy: PropertyPolicy<Int>
      var list = PropertyPolicy<[Int]>.null
    }
    func attributes(_ policy: PropertyPolicy<Int>) throws -> JSONValue? {
      try document(JSONAPISerializer(Entity(id: "1", policy: policy)))["data"]?["attributes"]
    }
    #expect(try attributes(.none) == ["list": nil])
    #expect(try attributes(.null) == ["policy": nil, "list": nil])
    #expect(try attributes(.some(3)) == ["policy": 3, "list": nil])
  }

  @Test func `K188 an optional that is no entity is an attribute`() throws {
    struct Entity: JSONAPIEntity {
      let id: String
      var number: Int? = 1
      var none: Int?
    }
    let data = try document(JSONAPISerializer(Entity(id: "1")))["data"]
    #expect(data == ["type": "entity", "id": "1", "attributes": ["number": 1]])
  }

  @Test func `K200 types of generic types are legal names`() throws {
    struct Box<Value: Sendable>: JSONAPIEntity {
      let id: String
      var value: Value
    }
    #expect(Box<Int>.type == "box-int")
    #expect(Box<[String: Int]>.type == "box-dictionary-string-int")
    #expect(try document(JSONAPISerializer(Box(id: "1", value: 2)))["data"]?["type"] == "box-int")
  }

  @Test func `K200 K292 properties that JSON:API has no place for are reported`() {
    struct Typed: JSONAPIEntity {
      let id: String
      var type = "x"
    }
    struct Linked: JSONAPIEntity {
      let id: String
      var links = [1]
    }
    struct Underscored: JSONAPIEntity {
      let id: String
      var _secret = 1
    }
    final class TypedObject: JSONAPIEntity {
      let id = "1"
      let type = "x"
    }
    for (value, name) in [
      (Typed(id: "1"), "type"), (Linked(id: "1"), "links"), (Underscored(id: "1"), "_secret"),
      (TypedObject(), "type"),
    ] as [(any JSONAPIEntity, String)] {
      #expect(throws: SerializationError.self) { try value.json() }
      do { _ = try value.json() } catch {
        #expect(error.cause == .illegalMemberName(name))
        #expect("\(error)".contains("$.\(name) would be called"))
      }
    }
    #expect(throws: SerializationError.self) {
      try KeyStyleTransformer(APICat(id: "1")) { _ in "id" }.json()
    }
  }

  @Test func `K201 documents have their media type`() async throws {
    let router = Router()
    router.get("/one") { _ in JSONAPISerializer(APIUser(id: "1")) }
    router.get("/snake") { _ in
      Response(statusCode: 201, body: SnakecaseTransformer(JSONAPISerializer([APICat(id: "1")])))
    }
    router.get("/bare") { _ in APICat(id: "1") }
    #expect(try await router.answered("/one").field("Content-Type") == "application/vnd.api+json")
    #expect(try await router.answered("/bare").field("Content-Type") == "application/json")
    let snake = try await router.answered("/snake")
    #expect(snake.head.status == 201)
    #expect(try document(snake.body)["data"]?[0]?["attributes"] == ["cat_name": "Hez"])
  }

  @Test func `K202 null, identifiers, mixed data, the jsonapi member and meta can be said`() throws {
    #expect(try document(JSONAPISerializer(APICat?.none)) == ["data": nil])
    #expect(try document(JSONAPIDocument(.resource(nil))) == ["data": nil])
    let cat = JSONAPIIdentifier(type: "cat", id: "1", meta: ["since": 2020])
    #expect(
      try document(JSONAPIDocument(.identifier(cat)))
        == ["data": ["type": "cat", "id": "1", "meta": ["since": 2020]]])
    #expect(try document(JSONAPIDocument(.identifiers([]))) == ["data": []])
    let mixed = JSONAPIDocument(
      .resources([APICat(id: "1"), APIDog(id: "1")]), meta: ["n": 2],
      jsonapi: JSONAPIObject(profile: ["https://example.com/p"], meta: ["by": "test"]))
    let json = try document(mixed)
    #expect(json["data"]?.identities == ["cat/1", "dog/1"])
    #expect(
      json["jsonapi"]
        == ["version": "1.1", "profile": ["https://example.com/p"], "meta": ["by": "test"]])
    #expect(try document(JSONAPIDocument(.none, meta: ["only": true])) == ["meta": ["only": true]])
  }

  private struct Kept: JSONAPIEntity, JSONAPIMetaEntity {
    let id: String
    var cat = APICat(id: "9")
    var meta: (any Serializable)? { ["rev": 3] }
    var relationshipsMeta: [String: any Serializable]? { ["cat": ["weight": 4]] }
  }

  @Test func `K202 resources and relationships have meta`() throws {
    let data = try document(JSONAPISerializer(Kept(id: "1")))["data"]
    #expect(data?["meta"] == ["rev": 3])
    #expect(data?["relationships"]?["cat"]?["meta"] == ["weight": 4])
  }

  @Test func `K144 K148 names are transformed, types and JSON:API's own members not`() throws {
    let user = SnakecaseTransformer(
      JSONAPISerializer(APIUser(id: "1"), topLevelMeta: ["someThing": 1]))
    let json = try document(user)
    #expect(json.names == ["data", "included", "meta"])
    #expect(json["meta"] == ["some_thing": 1])
    #expect(json["data"]?["attributes"] == ["user_name": "Alex"])
    #expect(json["data"]?["relationships"]?.names == ["doggy_dog", "cats"])
    #expect(json["included"]?[0]?["attributes"] == ["dog_name": "Rex"])
    let upper = try document(
      KeyStyleTransformer(JSONAPISerializer(APIUser(id: "1"))) { $0.uppercased() })
    #expect(upper.names == ["data", "included"])
    #expect(upper["data"]?.names == ["type", "id", "attributes", "relationships"])
    #expect(upper["data"]?["relationships"]?["CATS"]?.names == ["data"])
  }

  @Test func `one bad value tells where it is`() {
    struct Bad: JSONAPIEntity {
      let id: String
      var score = Double.nan
    }
    do { _ = try JSONAPISerializer([Bad(id: "1")]).json() } catch {
      #expect("\(error)".contains("score is nan"))
    }
    #expect(throws: SerializationError.self) { try JSONAPISerializer([Bad(id: "1")]).json() }
  }

  @Test func `an object of a class is a resource with its inherited properties`() throws {
    class Animal: JSONAPIEntity {
      class var type: String { "animal" }
      let id = "1"
      let legs = 4
    }
    final class Cow: Animal {
      override class var type: String { "cow" }
      let friend: APICat? = APICat(id: "5")
    }
    let json = try document(JSONAPISerializer(Cow()))
    #expect(json["data"]?["type"] == "cow")
    #expect(json["data"]?["attributes"] == ["legs": 4])
    #expect(json["data"]?["relationships"]?["friend"]?["data"]?.identities == ["cat/5"])
  }
}
