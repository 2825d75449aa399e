internal import TapedeckHTTP

/// A file of the inspector page. It says nothing about the run, so it is served without the token.
struct PageFile {
  /// All files of the folder `Page`, by name. A test holds this list against the folder.
  static let files: [String: [UInt8]] = [
    "actions.js": PackageResources.actions_js,
    "api.js": PackageResources.api_js,
    "app.js": PackageResources.app_js,
    "body.js": PackageResources.body_js,
    "cassette.js": PackageResources.cassette_js,
    "compare.js": PackageResources.compare_js,
    "comparison.js": PackageResources.comparison_js,
    "dialogs.js": PackageResources.dialogs_js,
    "dom.js": PackageResources.dom_js,
    "exchange.css": PackageResources.exchange_css,
    "exchange.js": PackageResources.exchange_js,
    "feed.js": PackageResources.feed_js,
    "filter.js": PackageResources.filter_js,
    "index.html": PackageResources.index_html,
    "interaction.js": PackageResources.interaction_js,
    "json.js": PackageResources.json_js,
    "keys.js": PackageResources.keys_js,
    "list.js": PackageResources.list_js,
    "messages.js": PackageResources.messages_js,
    "model.js": PackageResources.model_js,
    "overrides.js": PackageResources.overrides_js,
    "promotion.js": PackageResources.promotion_js,
    "rows.js": PackageResources.rows_js,
    "rules.js": PackageResources.rules_js,
    "secrets.js": PackageResources.secrets_js,
    "style.css": PackageResources.style_css,
    "text.js": PackageResources.text_js,
    "timeline.js": PackageResources.timeline_js,
  ]
  static let folder = "/ui/"
  private static let types = [
    "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
  ]

  /// Nothing from elsewhere, no script but the page's own files, no markup from text.
  private static let policy: StaticString = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types 'none'
    """

  private let name: String

  /// `nil` for a path outside of the folder.
  init?(_ request: HTTPRequest) {
    let path = String(decoding: request.path, as: UTF8.self)
    guard path == "/ui" || path.hasPrefix(Self.folder) else { return nil }
    name = path == "/ui" ? "" : String(path.dropFirst(Self.folder.count))
    isFolder = path == "/ui"
  }

  /// Whether the slash is missing, without which the page does not find its files.
  private let isFolder: Bool

  func response(to method: HTTPMethod) throws(AdminProblem) -> HTTPResponse {
    guard method == .get || method == .head else {
      var problem = AdminProblem(405, "this path takes GET, HEAD")
      problem.fields.append(literal: "Allow", "GET, HEAD")
      throw problem
    }
    var response: HTTPResponse
    if isFolder {
      response = HTTPResponse(head: HTTPResponseHead(status: 308))
      response.head.fields.append(literal: "Location", Self.folder)
    } else {
      let name = name.isEmpty ? "index.html" : name
      guard let bytes = Self.files[name] else {
        throw AdminProblem(404, "the page has no file \(name.prefix(100).debugDescription)")
      }
      let type = name.split(separator: ".").last.flatMap { Self.types[String($0)] }
      response = HTTPResponse(status: 200, contentType: type ?? "application/octet-stream", body: bytes)
    }
    Self.protect(&response.head.fields)
    return response
  }

  private static func protect(_ fields: inout HTTPFields) {
    fields.append(literal: "Content-Security-Policy", "\(policy)")
    fields.append(literal: "Referrer-Policy", "no-referrer")
    fields.append(literal: "X-Frame-Options", "DENY")
    fields.append(literal: "Cross-Origin-Opener-Policy", "same-origin")
    fields.append(literal: "Cross-Origin-Resource-Policy", "same-origin")
  }
}
