import HTTPTypes

extension HTTPFields {
    /// Adds fields; those of a name that is there already take the place of what is there.
    mutating func replace(with fields: HTTPFields) {
        guard !fields.isEmpty else { return }
        for field in fields { self[field.name] = nil }
        append(contentsOf: fields)
    }
}
