public import Foundation
public import HTTPTypes

extension HTTPRequest {
    /// The request as a `curl` command in one line, without secrets.
    ///
    /// `REDACTED` replaces the values of sensitive fields and of query items. User information is left out. The path
    /// and the body are shown, so pass a body only where it may be seen. Put a body that is not text, contains a NUL or
    /// is larger than 4 KiB into a file named `body`. The line has no control characters, whatever the request
    /// contains. It needs a shell that supports `$'…'` (POSIX.1-2024, section 2.2.4).
    ///
    /// - Parameters:
    ///   - body: The request's body.
    ///   - secrets: Sensitive fields besides the common ones.
    ///   - openQueryItems: The query items whose values are shown.
    public func curl(
        body: Data? = nil,
        secrets: Set<HTTPField.Name> = [],
        openQueryItems: Set<String> = []
    ) -> String {
        let secrets = Set.sensitiveHeaderFields.union(secrets)
        var words = ["curl"]
        // Curl would wait for the body that a response to HEAD does not have.
        words += method == .head ? ["--head"] : ["--request", quoted(method.rawValue)]
        // Curl would treat brackets and braces as patterns.
        words += ["--globoff", quoted(shownURL(openQueryItems))]
        for field in headerFields {
            let value = secrets.contains(field.name) ? redacted : field.value
            // A field without a value ends with a semicolon; with a colon, curl would leave it out.
            words += ["--header", quoted(value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(value)")]
        }
        if let body {
            // Curl would call it a form.
            if !headerFields.contains(.contentType) { words += ["--header", "Content-Type:"] }
            // A shell word cannot contain a NUL: the rest would be lost.
            if body.count <= 4096, !body.contains(0), let text = String(validating: body, as: UTF8.self) {
                words += ["--data-raw", quoted(text)]
            } else {
                words += ["--data-binary", "@body"]
            }
        }
        return words.joined(separator: " ")
    }

    // Search the Unicode scalars: a mark followed by an accent is another character.
    private func shownURL(_ openQueryItems: Set<String>) -> String {
        let query = (path ?? "").unicodeScalars.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        guard !query.isEmpty else { return loggableURL }
        let items = query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != "=" }
            if openQueryItems.contains(String(name)) { return String(item) }
            return name.endIndex == item.endIndex ? redacted : "\(String(name))=\(redacted)"
        }
        return "\(loggableURL)?\(items.joined(separator: "&"))"
    }
}

private let redacted = "REDACTED"

/// The text as one shell word.
private func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.contains(where: \.needsEscape) else {
        return "'\(scalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined())'"
    }
    let escaped = scalars.map { scalar in
        switch scalar {
        case "'", "\\": "\\\(scalar)"
        case _ where scalar.needsEscape: String(scalar).utf8.map { "\\\(octal($0))" }.joined()
        default: String(scalar)
        }
    }
    return "$'\(escaped.joined())'"
}

private func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return String(repeating: "0", count: 3 - digits.count) + digits
}

extension Unicode.Scalar {
    /// Whether it would break a line, or make it look different.
    fileprivate var needsEscape: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
