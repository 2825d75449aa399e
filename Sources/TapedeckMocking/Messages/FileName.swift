/// What the name of a file says about its contents.
package enum FileName {
  private static let mediaTypes = [
    "json": "application/json", "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "csv": "text/csv; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8", "xml": "application/xml", "yaml": "application/yaml",
    "yml": "application/yaml", "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg",
    "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "ico": "image/vnd.microsoft.icon",
    "pdf": "application/pdf", "zip": "application/zip", "wasm": "application/wasm", "mp3": "audio/mpeg",
    "mp4": "video/mp4", "woff2": "font/woff2", "gz": "application/gzip",
  ]

  /// The last extension in lower case, apart from `mustache`: that of `page.html.mustache` is `html`.
  static func lastExtension(of path: String) -> String? {
    let name = path.split(separator: "/").last ?? ""
    return name.split(separator: ".").dropFirst().map { $0.lowercased() }.last { $0 != "mustache" }
  }

  /// `application/octet-stream` for an extension that is not known.
  package static func mediaType(of path: String) -> String {
    lastExtension(of: path).flatMap { mediaTypes[$0] } ?? "application/octet-stream"
  }
}
