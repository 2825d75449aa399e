import TapedeckHTTP
import Testing

private func fields(_ pairs: [(String, String)]) throws -> HTTPFields {
  var fields = HTTPFields()
  for (name, value) in pairs { try fields.append(name, value) }
  return fields
}

@Test(
  arguments: [
    ("plain-1.0/x:@%", "plain-1.0/x:@%"),
    ("", "''"),
    ("a b", "'a b'"),
    ("it's", #"'it'\''s'"#),
    ("$HOME `x` \"q\"", "'$HOME `x` \"q\"'"),
    ("two\nlines", "'two\nlines'"),
    ("é", "'é'"),
    ("\u{1B}[2J", #"$'\033[2J'"#),
    ("tab\t'", #"$'tab\t\''"#),
    ("\u{202E}x", #"$'\342\200\256x'"#),
    ("\u{9B}31m", #"$'\302\23331m'"#),
  ] as [(String, String)])
func `a shell reads a word as it was`(text: String, word: String) {
  #expect(ShellWord.quoted(text) == word)
}

@Test func `bytes that are no text are quoted byte by byte`() {
  #expect(ShellWord.quoted([0xE9, 0x41]) == #"$'\351A'"#)
}

@Test func `a request becomes a curl command`() throws {
  let get = HTTPRequest(
    .get, "/users/1?a=b", fields: try fields([("Host", "x"), ("Accept", "*/*"), ("X-Empty", "")]))
  #expect(
    CurlCommand(get, base: "https://api.example.com").text
      == "curl -H 'Accept: */*' -H 'X-Empty;' 'https://api.example.com/users/1?a=b'")
  let post = HTTPRequest(
    .post, "/users", fields: try fields([("Content-Type", "application/json"), ("Content-Length", "9")]),
    body: Array(#"{"a":"'"}"#.utf8))
  #expect(
    CurlCommand(post, base: "http://h:1").text
      == #"curl -X POST -H 'Content-Type: application/json' --data-raw '{"a":"'\''"}' http://h:1/users"#)
}

@Test(
  arguments: [
    (HTTPRequest(.head, "/x"), "curl --head http://h/x"),
    (HTTPRequest(.delete, "/x"), "curl -X DELETE http://h/x"),
    (HTTPRequest(.get, "/x[1]"), "curl -g 'http://h/x[1]'"),
    (HTTPRequest(.get, "/a/../b"), "curl --path-as-is http://h/a/../b"),
    (HTTPRequest(.get, "/é?a=é"), "curl --request-target '/é?a=é' http://h"),
    (HTTPRequest(.get, "/x?a=é"), "curl 'http://h/x?a=é'"),
    (HTTPRequest(.get, "/x?a=\"\\^`"), "curl 'http://h/x?a=\"\\^`'"),
    (HTTPRequest(.options, "*"), "curl -X OPTIONS --request-target '*' http://h"),
    (HTTPRequest(.put, "/x", body: [0x40]), "curl -X PUT -H Content-Type: --data-raw @ http://h/x"),
    (
      HTTPRequest(.put, "/x", body: [0, 0x5C, 0x37]),
      #"printf '%b' '\0000\01347' | curl -X PUT -H Content-Type: --data-binary @- http://h/x"#
    ),
  ] as [(HTTPRequest, String)])
func `curl is told what it would get wrong by itself`(request: HTTPRequest, text: String) {
  #expect(CurlCommand(request, base: "http://h").text == text)
}

@Test func `a body may come from a file, and fields may stay untold`() throws {
  let request = HTTPRequest(
    .post, "/x", fields: try fields([("Authorization", "secret"), ("Content-Type", "a/b")]))
  let command = CurlCommand(
    request, base: "http://h", bodyFile: "bodies/a b.bin", fields: { $0.isNamed("content-type") })
  #expect(command.text == "curl -X POST -H 'Content-Type: a/b' --data-binary '@bodies/a b.bin' http://h/x")
}
