/// Reads the media types of `Content-Type` fields (RFC 9110, section 8.3.1).
package enum MediaType {
    /// Type and subtype in lower case, without parameters; nil for no field and for an empty one.
    package static func essence(of field: String?) -> String? {
        guard let field else { return nil }
        let essence = field.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        return essence.isEmpty ? nil : essence
    }

    /// Whether content is JSON: `application/json`, or a type whose name ends with `+json` (RFC 6839, section 3.1).
    package static func isJSON(_ field: String) -> Bool {
        guard let essence = essence(of: field) else { return false }
        return essence == "application/json" || essence.hasSuffix("+json")
    }
}
