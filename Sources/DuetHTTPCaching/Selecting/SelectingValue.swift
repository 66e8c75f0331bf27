import HTTPTypes

/// Values of selecting fields, so normalised that two are equal when they mean the same (RFC 9111, section 4.1).
enum SelectingValue {
    /// The lines combined, without white space around commas; nil when there are none.
    ///
    /// In the fields of content negotiation neither order nor letters make a difference (RFC 9110, section 12.5): there
    /// preferences are told by weights.
    static func normalised(_ name: String, in fields: HTTPFields) -> String? {
        guard let name = HTTPField.Name(name), fields.contains(name) else { return nil }
        var members = fields[values: name].flatMap(FieldList.members).map(\.text)
        if negotiating.contains(name) {
            members = members.map { withoutSpaces($0.lowercased()) }.map {
                $0.hasSuffix(";q=1") ? String($0.dropLast(4)) : $0
            }
            members.sort()
        }
        return members.joined(separator: ",")
    }

    private static let negotiating: Set<HTTPField.Name> = [.acceptEncoding, .acceptLanguage]

    private static func withoutSpaces(_ text: String) -> String {
        text.filter { $0 != " " && $0 != "\t" }
    }
}
