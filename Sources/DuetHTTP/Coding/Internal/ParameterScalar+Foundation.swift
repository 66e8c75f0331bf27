import Foundation

extension Decimal: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { isNaN ? nil : description }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        // Foundation reads what it can and leaves the rest: `12abc` is 12 to it.
        guard text.isDecimalNumber, let value = Decimal(string: text, locale: nil), !value.isNaN else { return nil }
        self = value
    }

    static func form(insteadOf text: String) -> String { "a decimal number" }
}

extension UUID: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { uuidString }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        self.init(uuidString: text)
    }

    static func form(insteadOf text: String) -> String { "a UUID" }
}

extension URL: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { absoluteString }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        self.init(string: text)
    }

    static func form(insteadOf text: String) -> String { "a URL" }
}

extension Data: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? { base64EncodedString() }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        self.init(base64Encoded: text)
    }

    static func form(insteadOf text: String) -> String { "base64" }
}

extension Date: ParameterScalar {
    func parameterText(_ dates: HTTPCoding.Dates) -> String? {
        switch dates {
        case .rfc3339: rfc3339
        case .secondsSince1970: timeIntervalSince1970.parameterText(dates)
        case .millisecondsSince1970: millisecondsSince1970.map(String.init)
        }
    }

    init?(parameterText text: String, _ dates: HTTPCoding.Dates) {
        switch dates {
        case .rfc3339:
            self.init(rfc3339: text)
        case .secondsSince1970:
            guard let seconds = Double(parameterText: text, dates) else { return nil }
            self.init(timeIntervalSince1970: seconds)
        case .millisecondsSince1970:
            guard let milliseconds = Int64(parameterText: text, dates) else { return nil }
            self.init(millisecondsSince1970: milliseconds)
        }
    }

    // Which of the codings is asked for does not matter to whoever sees one example of each.
    static func form(insteadOf text: String) -> String {
        "a time as this API writes it (RFC 3339 unless it says otherwise)"
    }
}

extension Date {
    /// Whole milliseconds since 1970; nil when they are too many to count.
    var millisecondsSince1970: Int64? {
        Int64(exactly: (timeIntervalSince1970 * 1_000).rounded())
    }

    init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
