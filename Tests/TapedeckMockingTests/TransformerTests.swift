import TapedeckHTTP
import TapedeckMocking
import Testing

private struct User: Serializable {
  var userName: String
}

private struct Holder: Serializable {
  var theFriends: [User]
}

private struct Upper<Wrapped: Serializable>: SerializationTransformer {
  let wrapped: Wrapped
  func transform(key: String) -> String { key.uppercased() }
}

private struct LowerFirst<Wrapped: Serializable>: SerializationTransformer {
  let wrapped: Wrapped
  func transform(key: String) -> String { key.prefix(1).lowercased() + key.dropFirst() }
}

private struct Friends: Serializable {
  struct Friend: Serializable { var Name = "x" }
  var Friends = [Friend()]
}

@Suite struct `G. Property policies` {
  private struct Entity<Wrapped>: Serializable {
    var policy: PropertyPolicy<Wrapped>
  }

  @Test func `K132 none leaves the key out`() {
    #expect(Entity<Int>(policy: .none).serialized() == [:])
    #expect(PropertyPolicy<Int>.none.serialized() == nil)
  }

  @Test func `K133 some is its value`() {
    #expect(Entity(policy: .some(1)).serialized() == ["policy": 1])
  }

  @Test func `K134 null is null, with its key`() {
    #expect(Entity<Int>(policy: .null).serialized() == ["policy": nil])
  }

  @Test func `K135 some of an entity goes on inside`() {
    #expect(Entity(policy: .some(User(userName: "x"))).serialized() == ["policy": ["userName": "x"]])
  }

  @Test func `K136 a policy of a policy flattens`() {
    #expect(Entity(policy: .some(PropertyPolicy.some(1))).serialized() == ["policy": 1])
    #expect(Entity(policy: .some(PropertyPolicy<Int>.null)).serialized() == ["policy": nil])
    #expect(Entity(policy: .some(PropertyPolicy<Int>.none)).serialized() == [:])
    #expect(Entity(policy: .some(Int?.none)).serialized() == [:])
  }

  @Test func `an optional becomes a policy that says null`() {
    #expect(Entity(policy: PropertyPolicy(Int?.none)).serialized() == ["policy": nil])
    #expect(PropertyPolicy(Optional(3)).value == 3)
  }
}

@Suite struct `H. Key transformers` {
  @Test func `K137 keys of nested entities`() {
    #expect(
      Upper(wrapped: Holder(theFriends: [User(userName: "a")])).serialized()
        == ["THEFRIENDS": [["USERNAME": "a"]]])
  }

  @Test func `K138 the outermost transformer has the last word`() {
    #expect(
      Upper(wrapped: LowerFirst(wrapped: Friends())).serialized() == ["FRIENDS": [["NAME": "x"]]])
    #expect(
      LowerFirst(wrapped: Upper(wrapped: Friends())).serialized() == ["fRIENDS": [["nAME": "x"]]])
    #expect(
      KeyStyleTransformer(KeyStyleTransformer(User(userName: "x"), .snake)) { $0.uppercased() }.serialized()
        == ["USER_NAME": "x"])
    #expect(
      Upper(wrapped: KeyStyleTransformer(User(userName: "x"), .snake)).serialized() == ["USER_NAME": "x"])
  }

  @Test(arguments: [
    ("userNameOfALuckyUser", "user_name_of_a_lucky_user"), ("aLuckyUser", "a_lucky_user"),
    ("ALuckyUser", "a_lucky_user"), ("ALuckyUseR", "a_lucky_use_r"), ("something", "something"),
    ("userID", "user_i_d"), ("URLString", "u_r_l_string"), ("htmlURL", "html_u_r_l"),
    ("already_snake", "already_snake"), ("Already_Snake", "already__snake"), ("user2Name", "user2_name"),
    ("", ""),
  ])
  func `K139 K140 K141 Kakapo's snake`(_ key: String, _ expected: String) {
    #expect(
      [key: 1].serialized().map { _ in SnakecaseTransformer([key: 1]).serialized() }
        == [expected: 1].serialized())
    #expect(KeyStyle.snakeByLetter.transform(key) == expected)
  }

  @Test func `K142 the snake transformer transforms what it is around`() {
    #expect(SnakecaseTransformer(User(userName: "x")).serialized() == ["user_name": "x"])
  }

  @Test func `K143 everything hands the transformer on`() {
    let user = User(userName: "x")
    let plain: JSONValue = ["user_name": "x"]
    #expect(SnakecaseTransformer(Optional(user)).serialized() == plain)
    #expect(SnakecaseTransformer(PropertyPolicy.some(user)).serialized() == plain)
    #expect(SnakecaseTransformer(Response(statusCode: 200, body: user)).serialized() == plain)
    #expect(SnakecaseTransformer([user]).serialized() == [plain])
    #expect(SnakecaseTransformer(["aKey": ["bKey": user]]).serialized() == ["a_key": ["b_key": plain]])
    #expect(
      SnakecaseTransformer(["aKey": 1, "bKey": user] as JSONObject).serialized() == [
        "a_key": 1, "b_key": plain,
      ])
    #expect(SnakecaseTransformer(["aKey": ["bKey": 1]] as JSONValue).serialized() == ["a_key": ["b_key": 1]])
    #expect(SnakecaseTransformer(Set(["x"])).serialized() == ["x"])
  }

  @Test(arguments: [
    ("commentIDs", "comment_ids"), ("URLsOfUsers", "urls_of_users"), ("AStone", "a_stone"),
    ("userID", "user_id"), ("htmlURL", "html_url"), ("Already_Snake", "already_snake"),
    ("URLString", "url_string"), ("htmlURLPath", "html_url_path"), ("user2Name", "user2_name"),
    ("userNameOfALuckyUser", "user_name_of_a_lucky_user"), ("_id", "_id"), ("__a__", "__a__"), ("", ""),
    ("_", "_"), ("kebab-case", "kebab_case"), ("with spaces", "with_spaces"), ("ÄpfelÖl", "äpfel_öl"),
    ("a", "a"),
    ("ABC", "abc"), ("already_snake", "already_snake"),
  ])
  func `K146 K147 snake with acronyms`(_ key: String, _ expected: String) {
    #expect(KeyStyle.snake.transform(key) == expected)
  }

  @Test func `K149 other styles`() {
    let value = [["userID": 1]]
    #expect(KeyStyleTransformer(value, .kebab).serialized() == [["user-id": 1]])
    #expect(KeyStyleTransformer(value, .pascal).serialized() == [["UserId": 1]])
    #expect(KeyStyleTransformer([["user_id": 1]], .camel).serialized() == [["userId": 1]])
    #expect(KeyStyleTransformer([["UserID": 1]], .camel).serialized() == [["userId": 1]])
    #expect(KeyStyleTransformer(value) { "x-" + $0 }.serialized() == [["x-userID": 1]])
  }
}
