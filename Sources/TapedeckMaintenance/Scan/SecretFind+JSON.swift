package import TapedeckHTTP
package import TapedeckRedaction

extension SecretFind {
  /// For programs, without the secret.
  package var json: JSONValue {
    [
      "file": JSONValue(file), "line": JSONValue(line), "place": JSONValue(place), "name": JSONValue(name),
      "looksLike": JSONValue(looksLike), "beginning": JSONValue(beginning),
    ]
  }
}
