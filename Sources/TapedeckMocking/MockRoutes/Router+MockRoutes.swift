internal import TapedeckHTTP

extension Router {
  /// Registers routes that are data; all or, when one of them cannot be served, none. One that is for the same requests
  /// as another takes its place.
  /// - Parameter folder: of the files that they name; nil for the current one.
  @discardableResult
  public func mock(_ routes: [MockRoute], folder: String? = nil) throws(MockRouteError) -> [Route] {
    var ready: [(MockRoute, RoutePattern, Response)] = []
    for route in routes.flatMap(\.all) {
      ready.append((route, try route.checkedPattern(), try route.response(folder)))
    }
    return ready.map { route, pattern, response in
      register(route.method, pattern, .returning { _ in response }) { registered in
        registered.headers = HeaderFields(route.requestHeaders).fields
        if route.kind == .timeout { registered.latency = .seconds(route.timeoutInSeconds) }
      }
    }
  }
}

extension MockRoute {
  fileprivate func checkedPattern() throws(MockRouteError) -> RoutePattern {
    do throws(PathPatternError) { return try RoutePattern(pattern) } catch {
      throw .badPath(route: title, problem: "\(error)")
    }
  }

  /// Made when the route is registered, so that what is wrong with it shows there.
  fileprivate func response(_ folder: String?) throws(MockRouteError) -> Response {
    guard (200...999).contains(code) else { throw .badStatus(route: title, code) }
    var response = try body(folder)
    response.statusCode = code
    if kind == .redirect { response.headers["Location"] = destination }
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { response.headers[name] = value }
    return response
  }

  private func body(_ folder: String?) throws(MockRouteError) -> Response {
    switch content {
    case .empty: return Response(statusCode: code)
    case .json(let json):
      let bytes = Array(json.utf8)
      do throws(JSONError) { _ = try JSONValue(parsing: bytes) } catch {
        throw .invalidJSON(route: title, problem: "\(error)")
      }
      return Response(data: bytes, contentType: "application/json")
    case .text(let text): return Response(text: text)
    case .unencodable(let problem): throw .unencodable(route: title, problem: problem)
    case .file(let name):
      let path = Self.path(name, folder, orEnd: ".json")
      do throws(FileError) { return try Response(file: path) } catch {
        throw .badFile(route: title, problem: "\(error)")
      }
    case .template(let name, let values):
      let path = name.hasSuffix(".mustache") ? name : "\(name).mustache"
      do throws(TemplateError) {
        return Response(template: try Template(file: Self.path(path, folder, orEnd: "")), values: values)
      } catch {
        throw .badFile(route: title, problem: "\(error)")
      }
    case .templateText(let text, let values):
      do throws(TemplateError) {
        return Response(template: try Template(text, escaping: .json), values: values)
      } catch {
        throw .badFile(route: title, problem: "its template: \(error)")
      }
    }
  }

  private static func path(_ name: String, _ folder: String?, orEnd end: String) -> String {
    let hasExtension = name.split(separator: "/").last?.contains(".") == true
    let file = hasExtension ? name : name + end
    guard let folder, !file.hasPrefix("/") else { return file }
    return "\(folder)/\(file)"
  }
}
