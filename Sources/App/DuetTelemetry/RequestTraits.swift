import DuetHTTP
import Foundation
import HTTPTypes
import Tracing

/// The properties of a request that telemetry may record, without any values from its sender.
struct RequestTraits {
    let method: String
    let messageName: String?
    private let template: String?
    private let scheme: String?
    private let authority: String?
    private let attempt: Int

    /// Collects the properties of a request and of the current task's options.
    init(_ request: HTTPRequest) {
        let options = HTTPRequestOptions.current
        method = request.method.knownName
        messageName = options.messageName
        template = options.pathTemplate.map { $0.hasPrefix("/") ? $0 : "/" + $0 }
        scheme = request.scheme
        authority = request.authority
        attempt = options.attempt
    }

    /// The method and the path's template, or the message's name if there is no template.
    var spanName: String {
        let verb = method == "_OTHER" ? "HTTP" : method
        guard let target = template ?? messageName else { return verb }
        return "\(verb) \(target)"
    }

    var spanAttributes: SpanAttributes {
        var attributes = SpanAttributes()
        attributes["http.request.method"] = method
        attributes["url.template"] = template
        attributes["duet.message"] = messageName
        if attempt > 1 { attributes["http.request.resend_count"] = attempt - 1 }
        let address = URLComponents(string: "\(scheme ?? "")://\(authority ?? "")")
        attributes["server.address"] = address?.host?.trimmingCharacters(in: brackets)
        attributes["server.port"] = address?.port ?? (scheme == "https" ? 443 : 80)
        return attributes
    }
}

/// The brackets around an IPv6 address.
private let brackets = CharacterSet(charactersIn: "[]")
