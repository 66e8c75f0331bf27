import HTTPTypes

extension ServedResponse {
    /// Says what caches may do with the response to a `GET` or `HEAD`, as far as its route does not (RFC 9111, section
    /// 5.2.2).
    ///
    /// A value is validated each time. With `no-cache`, a client's cache could not use it while the server fails
    /// (section 4.2.4). Without a field, shared caches keep an error such as 404 for a default time.
    ///
    /// - Parameters:
    ///   - needsPrincipal: Whether only a principal may send the message.
    ///   - keys: The fields that contain credentials, which shared caches do not know.
    mutating func limitCaching(
        of request: HTTPRequest,
        needsPrincipal: Bool = false,
        keys: [HTTPField.Name] = []
    ) {
        guard request.method == .get || request.method == .head else { return }
        let fields = request.headerFields
        for key in keys { headers.append(HTTPField(name: .vary, value: key.rawName)) }
        guard !keys.contains(where: fields.contains) else { return makePrivate() }
        let isPersonal = needsPrincipal || fields.contains(.authorization) || fields.contains(.cookie)
        let own = headers[values: .cacheControl]
        if own.isEmpty, !headers.contains(.expires) {
            headers[.cacheControl] = isPersonal ? "private, max-age=0" : "max-age=0, proxy-revalidate"
        } else if isPersonal, !own.contains(where: Self.decidesAboutSharing) {
            // Some shared caches store responses to requests with credentials, although section 3.5 forbids it.
            headers[.cacheControl] = (["private"] + own).joined(separator: ", ")
        }
    }

    /// Forbids shared caches to store the response, whatever its route says.
    private mutating func makePrivate() {
        let own = headers[values: .cacheControl].flatMap { FieldList.members(of: $0).map(\.text) }
            .filter { !["private", "public", "s-maxage"].contains(Self.name(ofDirective: $0)) }
        let usual = headers.contains(.expires) ? [] : ["max-age=0"]
        headers[.cacheControl] = (["private"] + (own.isEmpty ? usual : own)).joined(separator: ", ")
    }

    /// Whether `Cache-Control` says if shared caches may store the response.
    private static func decidesAboutSharing(_ field: String) -> Bool {
        FieldList.members(of: field).contains { directive in
            ["private", "public", "no-store", "s-maxage"].contains(name(ofDirective: directive.text))
        }
    }

    private static func name(ofDirective text: String) -> String { String(text.lowercased().prefix { $0 != "=" }) }
}
