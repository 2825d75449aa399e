import TapedeckHTTP
import Testing

@testable import TapedeckMocking

@Suite struct TemplateTests {
  @Test(
    arguments: [
      ("Hello {{name}}!", #"{"name": "Kakapo"}"#, "Hello Kakapo!"),
      ("{{ name }} {{missing}}.", #"{"name": 1.50}"#, "1.50 ."),
      ("{{a.b.c}}|{{a.x.c}}", #"{"a": {"b": {"c": true}}}"#, "true|"),
      (
        "{{null}}|{{list}}|{{object}}", #"{"null": null, "list": [1, 2], "object": {"a": 1}}"#,
        "|[1,2]|{\"a\":1}"
      ),
      ("{{#items}}<{{.}}>{{/items}}", #"{"items": [1, "b", false]}"#, "<1><b><false>"),
      (
        "{{#users}}{{name}} of {{team}}, {{/users}}",
        #"{"team": "T", "users": [{"name": "A"}, {"name": "B"}]}"#,
        "A of T, B of T, "
      ),
      (
        "{{#yes}}1{{/yes}}{{#no}}2{{/no}}{{#none}}3{{/none}}{{#empty}}4{{/empty}}{{#zero}}5{{/zero}}",
        #"{"yes": true, "no": false, "empty": [], "zero": 0}"#, "15"
      ),
      (
        "{{^no}}a{{/no}}{{^empty}}b{{/empty}}{{^yes}}c{{/yes}}{{^none}}d{{/none}}",
        #"{"yes": true, "no": false, "empty": []}"#, "abd"
      ),
      ("{{#a}}{{#b}}{{c}}{{/b}}{{/a}}", #"{"a": {"b": {"c": 1}}}"#, "1"),
      ("a{{! nothing\nat all }}b", "{}", "ab"),
      ("{{#list}}\n- {{.}}\n{{/list}}\nend", #"{"list": [1, 2]}"#, "- 1\n- 2\nend"),
      ("  {{#on}}  \n x\n  {{/on}}\n", #"{"on": true}"#, " x\n"),
      ("a {{#on}}\nb{{/on}}", #"{"on": true}"#, "a \nb"),
      ("a\r\n{{! gone }}\r\nb", "{}", "a\r\nb"),
      ("{ {name} } {", "{}", "{ {name} } {"), ("", "{}", ""),
    ] as [(String, String, String)])
  func `K110 a template puts values in their places`(_ text: String, _ values: String, _ expected: String)
    throws
  {
    let values = try JSONValue(parsing: Array(values.utf8))
    #expect(try Template(text).rendered(values) == expected)
  }

  @Test(arguments: [
    (Template.Escaping.html, "<&'\">", "&lt;&amp;&#39;&quot;&gt;"), (.json, "a\"\\\n", #"a\"\\\n"#),
    (.none, "<\"", "<\""),
  ])
  func `K110 values are escaped for where they stand`(
    _ escaping: Template.Escaping, _ value: String, _ expected: String
  ) throws {
    let values: JSONValue = ["v": JSONValue(value)]
    #expect(try Template("{{v}}", escaping: escaping).rendered(values) == expected)
    #expect(try Template("{{{v}}}{{& v}}", escaping: escaping).rendered(values) == value + value)
  }

  @Test(
    arguments: [
      ("a\n{{name", "template:2: {{ without }}"), ("{{}}", "template:1: {{ }} names nothing"),
      ("\n\n{{#a}}\n", "template:3: {{#a}} is never closed"),
      ("{{/a}}", "template:1: {{/a}} closes what was never opened"),
      ("{{#a}}{{#b}}{{/a}}", "template:1: {{/a}} stands where {{/b}} must come first"),
      ("{{> head}}", "template:1: {{> head}}: there are no partials here; put the text in its place"),
      ("{{=<% %>=}}", "template:1: {{=<% %>=}}: other delimiters are not understood; keep {{ and }}"),
      ("{{a b}}", "template:1: {{a b}}: a name has no blanks"),
      ("{{a..b}}", "template:1: {{a..b}}: a part of the name is empty"),
    ] as [(String, String)])
  func `K110 what cannot be read is told with its place`(_ text: String, _ expected: String) {
    #expect { try Template(text) } throws: { "\($0)" == expected }
  }
}
