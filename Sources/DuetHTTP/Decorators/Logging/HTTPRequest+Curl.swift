public import Foundation
public import HTTPTypes

extension HTTPRequest {
    /// The request as one line for a shell, with `curl`, to be tried by hand; secrets are left out.
    ///
    /// The values of the fields `secrets`, of the common ones, of all query items but those of `openQueryItems`, and any user information in the
    /// authority are replaced with `REDACTED`. The path and the body are shown: give a body only where it may be seen. One
    /// that is no text, has a NUL in it, or is larger than 4 KiB, is to be put into a file named `body`. The line holds no control characters
    /// whatever the request holds; it needs a shell that knows `$'…'` (POSIX.1-2024, section 2.2.4).
    public func curl(
        body: Data? = nil,
        secrets: Set<HTTPField.Name> = [],
        openQueryItems: Set<String> = []
    ) -> String {
        let secrets = Set.secrets.union(secrets)
        var words = ["curl"]
        // Curl would wait for the body that an answer to HEAD does not have.
        words += method == .head ? ["--head"] : ["--request", quoted(method.rawValue)]
        // Brackets and braces would be patterns to curl.
        words += ["--globoff", quoted(shownURL(openQueryItems))]
        for field in headerFields {
            let value = secrets.contains(field.name) ? redacted : field.value
            // A field without a value ends with a semicolon; with a colon, curl would leave it out.
            words += ["--header", quoted(value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(value)")]
        }
        if let body {
            // Curl would call it a form.
            if !headerFields.contains(.contentType) { words += ["--header", "Content-Type:"] }
            // No word of a shell can hold a NUL: what follows would be lost.
            if body.count <= 4096, !body.contains(0), let text = String(validating: body, as: UTF8.self) {
                words += ["--data-raw", quoted(text)]
            } else {
                words += ["--data-binary", "@body"]
            }
        }
        return words.joined(separator: " ")
    }

    // Marks are looked for among the Unicode scalars: with an accent after it, a mark is another character.
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

/// One word for a shell, whatever is in it.
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
    /// Whether it would break a line, or show it other than it is.
    fileprivate var needsEscape: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
