/// Which media type a file most likely has, by the end of its name.
package enum MediaTypeOfFile {
  private static let types = [
    "json": "application/json", "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "csv": "text/csv; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "xml": "application/xml", "yaml": "application/yaml", "yml": "application/yaml", "svg": "image/svg+xml",
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "ico": "image/vnd.microsoft.icon", "pdf": "application/pdf", "zip": "application/zip",
    "wasm": "application/wasm",
    "mp3": "audio/mpeg", "mp4": "video/mp4", "woff2": "font/woff2", "gz": "application/gzip",
  ]

  /// In lower case, the last first: `page.html.mustache` has `mustache` and `html`.
  package static func extensions(of path: String) -> [String] {
    let name = path.split(separator: "/").last ?? ""
    return name.split(separator: ".").dropFirst().reversed().map { $0.lowercased() }
  }

  package static func guess(_ path: String) -> String {
    let known = extensions(of: path).first { $0 != "mustache" }.flatMap { types[$0] }
    return known ?? "application/octet-stream"
  }
}
