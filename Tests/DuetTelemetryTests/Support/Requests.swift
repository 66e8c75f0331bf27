import DuetHTTP
import HTTPTypes

/// A failure that takes a message with it.
enum Fault: Error {
    case broken(String)
    case lost
}

func request(
    _ method: HTTPRequest.Method = .get,
    _ path: String = "/v1/image/7",
    scheme: String = "http",
    authority: String = "server"
) -> HTTPRequest {
    HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
}

/// Those that a dispatcher sends a message with.
func options(message: String? = nil, template: String? = nil) -> HTTPRequestOptions {
    var options = HTTPRequestOptions()
    options.messageName = message
    options.pathTemplate = template
    return options
}
